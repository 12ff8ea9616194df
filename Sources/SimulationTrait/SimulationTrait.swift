// Targets that read scenarios depend on this one, so that a build without its trait fails here, before
// the missing package Yams.
#if !Simulation && !Harness && !HarnessWithoutJemalloc
  #error("a trait is off: swift build --traits Harness here, traits: [\"Simulation\"] in a package")
#endif
