// swift-tools-version: 6.2
import PackageDescription

/// The cache and a program that drives it, without what else is built: `count.sh` links the sources
/// of a checkout into it.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let collections = ["DequeModule", "HeapModule"].map {
  Target.Dependency.product(name: $0, package: "swift-collections")
}

let package = Package(
  name: "hot-path",
  dependencies: [.package(url: "https://github.com/apple/swift-collections", from: "1.6.0")],
  targets: [
    .target(name: "CacheModel", swiftSettings: settings),
    .systemLibrary(name: "CPrefetch"),
    .target(name: "Containers", dependencies: ["CPrefetch"], swiftSettings: settings),
    .target(
      name: "EvictionPolicies", dependencies: ["CacheModel", "Containers"],
      swiftSettings: settings),
    .target(
      name: "NormalizedCacheCore",
      dependencies: ["CacheModel", "Containers", "EvictionPolicies"] + collections,
      swiftSettings: settings),
    .target(
      name: "NormalizedCache",
      dependencies: ["CacheModel", "Containers", "EvictionPolicies", "NormalizedCacheCore"],
      swiftSettings: settings),
    .executableTarget(
      name: "hot-path", dependencies: ["CacheModel", "NormalizedCache"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6])
