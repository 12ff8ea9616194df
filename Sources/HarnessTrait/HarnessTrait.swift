// Targets that require the harness's packages depend on this one, so that a build without its trait
// fails here, before the first missing package.
#if !Harness && !HarnessWithoutJemalloc
  #error("a trait is off: swift build --traits Harness, or make build")
#endif
