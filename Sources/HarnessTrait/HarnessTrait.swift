// What needs the packages of the harness depends on this target, so that a build without its trait
// ends here, before it misses the first of them.
#if !Harness && !HarnessWithoutJemalloc
  #error("a trait is off: swift build --traits Harness, or make build")
#endif
