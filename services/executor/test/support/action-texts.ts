/** Contract section 1, "Bodies": texts of an action around `URL` that are a 400. */
export const BAD_ACTIONS: Readonly<Record<string, string>> = {
  'a top-level member twice': '{"method":"POST","url":"URL","method":"POST"}',
  'the body twice': '{"method":"POST","url":"URL","body":1,"body":1}',
  'the body twice, once escaped': String.raw`{"method":"POST","url":"URL","body":1,"\u0062ody":2}`,
  'a header twice': '{"method":"POST","url":"URL","headers":{"x-a":"1","x-a":"1"}}',
  'a member of a schema twice':
    '{"method":"POST","url":"URL","response_schema":{"type":"object","type":"array"}}',
  'a member deep in a body twice':
    '{"method":"POST","url":"URL","body":[{"a":{"b":1,"c":2,"b":3}}]}',
  'a member twice, blanks between': '{"method":"POST","url":"URL","body":{"a" : 1 , "a"\n: 2}}',
  '__proto__ at the top': '{"method":"POST","url":"URL","__proto__":{}}',
  '__proto__ in headers': '{"method":"POST","url":"URL","headers":{"__proto__":"1"}}',
  '__proto__ in a body': '{"method":"POST","url":"URL","body":{"a":[{"__proto__":1}]}}',
  '__proto__ in a body, escaped': String.raw`{"method":"POST","url":"URL","body":{"__pr\u006fto__":1}}`,
  '__proto__ in a schema':
    '{"method":"POST","url":"URL","response_schema":{"properties":{"__proto__":{}}}}',
  'constructor.prototype in a body':
    '{"method":"POST","url":"URL","body":{"constructor":{"prototype":1}}}',
  'a body cut short': '{"method":"POST","url":"URL","body":{"a":1}',
  'a second document': '{"method":"POST","url":"URL"}{}',
  'a leading zero': '{"method":"POST","url":"URL","body":01}',
  'a number without digits': '{"method":"POST","url":"URL","body":-}',
  'a number that ends with a dot': '{"method":"POST","url":"URL","body":1.}',
  'a number that begins with a dot': '{"method":"POST","url":"URL","body":.5}',
  'a plus sign': '{"method":"POST","url":"URL","body":+1}',
  'an exponent without digits': '{"method":"POST","url":"URL","body":1e}',
  NaN: '{"method":"POST","url":"URL","body":NaN}',
  Infinity: '{"method":"POST","url":"URL","body":[-Infinity]}',
  'a trailing comma': '{"method":"POST","url":"URL","body":[1,]}',
  'a missing comma': '{"method":"POST","url":"URL","body":[1 2]}',
  'a missing colon': '{"method":"POST","url":"URL","body":{"a" 1}}',
  'a raw line break in a string': '{"method":"POST","url":"URL","body":"a\nb"}',
  'a raw NUL in a string': '{"method":"POST","url":"URL","body":"a\0b"}',
  'an unknown escape': String.raw`{"method":"POST","url":"URL","body":"\x41"}`,
  'a short escape': String.raw`{"method":"POST","url":"URL","body":"\u12"}`,
  'single quotes': `{"method":"POST","url":"URL","body":'a'}`,
  'a comment': '{"method":"POST","url":"URL","body":1 /* one */}',
  'a bare name': '{"method":"POST","url":"URL","body":{a:1}}',
  'a closing mark of another kind': '{"method":"POST","url":"URL","body":[1}}',
  'a no-break space': '{"method":"POST","url":"URL","body":\u00a01}',
  'a byte order mark within': '{"method":"POST","url":"URL","body":\ufeff{}}',
};

export const GOOD_ACTIONS: Readonly<Record<string, string>> = {
  'the same name in two objects':
    '{"method":"POST","url":"URL","body":{"method":1,"url":2,"a":{"a":{"a":1}}}}',
  'names that differ in case': '{"method":"POST","url":"URL","body":{"a":1,"A":2}}',
  'the same string as name and value':
    '{"method":"POST","url":"URL","body":{"a":"a","b":["a","a"]}}',
  'a constructor without a prototype':
    '{"method":"POST","url":"URL","body":{"constructor":{"x":1},"prototype":2}}',
  'names within strings': String.raw`{"method":"POST","url":"URL","body":"{\"a\":1,\"a\":2,\"__proto__\":3}"}`,
  '__proto__ as a value':
    '{"method":"POST","url":"URL","body":["__proto__",{"a":"constructor.prototype"}]}',
};
