import NormalizedCache

/// Each choice by itself.
func choosePolicy() -> CachePolicy {
  var policy = CachePolicy(
    evictionOrder: "lru",
    capacity: Capacity(entities: 10_000, bytes: 15 << 20),
    retention: .observed,
    freshness: Freshness(timeToLive: .seconds(300), staleWhileRevalidate: .seconds(3600)),
    maximumQueries: 200)
  policy.releaseBuffer = ReleaseBuffer(queries: 10, age: .seconds(60))
  policy.coalescingWindow = .milliseconds(16)
  return policy
}

/// A preset, with limits of the app's own.
func choosePreset() -> CachePolicy? {
  let allowance = Preset.Allowance(
    capacity: Capacity(entities: 10_000), maximumQueries: 200, freshness: .neverExpires)
  return Preset.named("refcount")?.composition(allowance)
}
