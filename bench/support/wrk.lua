-- Script for wrk: sends BODY repeatedly and prints the results as one line of JSON. With KEYS, each
-- request has an idempotency key of its own, which begins with KEYS. With TOKENS, each request has
-- the next line of that file as its decision token.
local body = os.getenv('BODY')
if body then
  wrk.method = 'POST'
  wrk.body = body
  wrk.headers['content-type'] = 'application/json'
end

local keys = os.getenv('KEYS')
if keys then
  local sent = 0
  function request()
    sent = sent + 1
    wrk.headers['idempotency-key'] = keys .. sent
    return wrk.format()
  end
end

local tokens = os.getenv('TOKENS')
if tokens then
  local next_token = io.lines(tokens)
  function request()
    wrk.headers['x-gatehouse-decision'] = next_token()
    return wrk.format()
  end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('{"answered":%d,"seconds":%f,"failed":%d,"p50":%f}',
    summary.requests, summary.duration / 1e6, failed,
    latency:percentile(50) / 1e3))
end
