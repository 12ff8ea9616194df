// `CacheFiles`, `TwoTierCache` and `ResponseCache` depend on this target, so that a build without its trait fails here,
// before the missing package swift-crypto.
#if !FileCaches && !Apps && !Harness && !HarnessWithoutJemalloc
  #error("a trait is off: swift build --traits Harness here, traits: [\"FileCaches\"] in an app")
#endif
