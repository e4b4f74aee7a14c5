-- For wrk: asks for a check, an explained one and the profile in turn. Holds every answer against
-- those in the file KNOWN, a digest and a body on each line; prints one line of JSON.
local body = os.getenv('BODY')
local known, counts = {}, {}
for line in io.lines(os.getenv('KNOWN')) do
  local digest, text = line:match('^(%x+) (.*)$')
  known[digest] = known[digest] or {}
  known[digest][text] = true
  counts[digest] = 0
end
answers, strange, example = counts, 0, ''

local requests, turn = {}, 0
function init()
  local headers = { ['content-type'] = 'application/json' }
  requests = {
    wrk.format('POST', '/policy/check', headers, body),
    wrk.format('POST', '/policy/check?explain=true', headers, body),
    wrk.format('GET', '/policy/profile'),
  }
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function response(status, headers, text)
  local digest = headers['x-policy-digest']
  local of = known[digest or '']
  if status == 200 and of and of[text] then
    answers[digest] = answers[digest] + 1
  else
    strange = strange + 1
    example = string.format('%d, digest %s: %s', status, digest or 'none', text)
  end
end

local threads = {}
function setup(thread)
  threads[#threads + 1] = thread
end

function done(summary, latency)
  local thread = threads[1]
  if thread:get('strange') > 0 then io.stderr:write(thread:get('example'), '\n') end
  local by_digest = {}
  for digest, count in pairs(thread:get('answers')) do
    by_digest[#by_digest + 1] = string.format('"%s":%d', digest, count)
  end
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('{"seconds":%f,"failed":%d,"strange":%d,"answers":{%s},',
    summary.duration / 1e6, failed, thread:get('strange'), table.concat(by_digest, ',')))
  io.write(string.format('"p50_ms":%.2f,"p99_ms":%.2f,"max_ms":%.2f}\n',
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
end
