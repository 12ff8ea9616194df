// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "OwnPolicy",
  platforms: [.macOS(.v15)],
  dependencies: [
    // In a package outside this repository: .package(url: …, from: …, traits: ["Simulation"])
    .package(name: "tidemark", path: "../..", traits: ["Simulation"])
  ],
  targets: [
    .target(
      name: "OwnPolicy", dependencies: [.product(name: "CacheSimulation", package: "tidemark")]),
    .executableTarget(
      name: "ComparePolicy",
      dependencies: ["OwnPolicy", .product(name: "CacheSimulation", package: "tidemark")]),
    .testTarget(
      name: "OwnPolicyTests",
      dependencies: [
        "OwnPolicy",
        .product(name: "CacheSimulation", package: "tidemark"),
        .product(name: "TidemarkTestSupport", package: "tidemark"),
      ]),
  ]
)
