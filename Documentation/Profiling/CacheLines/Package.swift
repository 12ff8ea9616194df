// swift-tools-version: 6.2
import PackageDescription

/// The cache, two alternatives and a program that drives them, without what else is built: `count.sh` links the
/// sources of a checkout into it.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let collections = ["DequeModule", "HeapModule"].map {
  Target.Dependency.product(name: $0, package: "swift-collections")
}

let package = Package(
  name: "cache-lines",
  dependencies: [.package(url: "https://github.com/apple/swift-collections", from: "1.6.0")],
  targets: [
    .target(name: "CacheModel", swiftSettings: settings),
    .systemLibrary(name: "CPrefetch"),
    .systemLibrary(name: "CCallgrind"),
    .target(name: "Containers", dependencies: ["CPrefetch"], swiftSettings: settings),
    .target(
      name: "EvictionPolicies", dependencies: ["CacheModel", "Containers"],
      swiftSettings: settings),
    .target(
      name: "NormalizedCache",
      dependencies: ["CacheModel", "Containers", "EvictionPolicies"] + collections,
      swiftSettings: settings),
    .executableTarget(
      name: "cache-lines", dependencies: ["CCallgrind", "CacheModel", "NormalizedCache"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6])
