// `CachePersistence` depends on this target, so that a build without its trait fails here, before the
// missing package GRDB.
#if !Persistence && !Apps && !Harness && !HarnessWithoutJemalloc
  #error("a trait is off: swift build --traits Harness here, traits: [\"Persistence\"] in an app")
#endif
