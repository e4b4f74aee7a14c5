-- Script for wrk: sends BODY repeatedly, with a random pause of THINK_MS on average, and prints the
-- results as one line of JSON.
local body = os.getenv('BODY')
if body then
  wrk.method = 'POST'
  wrk.body = body
  wrk.headers['content-type'] = 'application/json'
end

local think = tonumber(os.getenv('THINK_MS') or '')
if think then
  -- Exponential distribution, as if many independent callers sent the requests.
  function delay()
    return math.floor(0.5 - think * math.log(1 - math.random()))
  end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('{"answered":%d,"seconds":%f,"failed":%d,"p50":%f,"p99":%f,"p999":%f}',
    summary.requests, summary.duration / 1e6, failed,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency:percentile(99.9) / 1e3))
end
