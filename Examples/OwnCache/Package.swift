// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "OwnCache",
  platforms: [.macOS(.v15)],
  dependencies: [
    // In a package outside this repository: .package(url: …, from: …, traits: ["Simulation"])
    .package(name: "tidemark", path: "../..", traits: ["Simulation"])
  ],
  targets: [
    .target(
      name: "OwnCache", dependencies: [.product(name: "CacheSimulation", package: "tidemark")]),
    .executableTarget(
      name: "CompareCache",
      dependencies: ["OwnCache", .product(name: "CacheSimulation", package: "tidemark")]),
    .testTarget(
      name: "OwnCacheTests",
      dependencies: [
        "OwnCache",
        .product(name: "CacheSimulation", package: "tidemark"),
        .product(name: "TidemarkTestSupport", package: "tidemark"),
      ]),
  ]
)
