// `CacheMetrics` depends on this target, so that a build without its trait fails here, before the missing
// package swift-metrics.
#if !Metrics && !Apps && !Harness && !HarnessWithoutJemalloc
  #error("a trait is off: swift build --traits Harness here, traits: [\"Metrics\"] in an app")
#endif
