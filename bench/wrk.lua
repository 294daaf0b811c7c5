-- Prints what wrk found as one line of JSON; latencies in milliseconds.
done = function(summary, latency, requests)
  local errors = summary.errors
  print(string.format(
    '{"rate":%.1f,"p50":%.3f,"p99":%.3f,"errors":%d}',
    summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
