import Foundation

/// A folder that is gone again afterwards.
enum TemporaryPlace {
  /// Hands over a new folder, in another or, with `nil`, among the system's temporary ones.
  static func use<Result>(
    _ parent: String?, _ body: (URL) async throws -> Result
  ) async throws -> Result {
    let place =
      (parent.map { URL(fileURLWithPath: $0, isDirectory: true) }
      ?? FileManager.default.temporaryDirectory)
      .appendingPathComponent("bench-designs-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    return try await body(place)
  }
}
