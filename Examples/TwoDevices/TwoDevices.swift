import NormalizedCache
import Observation

/// Two devices show the albums of one library; one renames an album, and the other one sees it.
@main
@MainActor
struct TwoDevices {
  static let library = LibraryID(rawValue: UniqueID(high: 1, low: 1))
  static let holidays = UniqueID(high: 0, low: 1)
  static let work = UniqueID(high: 0, low: 2)

  static func main() async throws {
    let server = Server(library: library)
    try await server.name(holidays, "Holidays")
    try await server.name(work, "Work")

    let a = try await Device(server: server, library: library)
    let b = try await Device(server: server, library: library)
    await show(a, as: "A", until: ["Holidays", "Work"])
    await show(b, as: "B", until: ["Holidays", "Work"])

    print("A renames Holidays to Iceland")
    // An app makes a new UUID for each change; with it the server carries a change out once.
    let token = MutationToken(rawValue: UniqueID(high: 2, low: 1))
    try await a.rename(holidays, to: "Iceland", token: token)
    await show(a, as: "A", until: ["Iceland", "Work"])
    await show(b, as: "B", until: ["Iceland", "Work"])

    print("queries to the server: \(await server.requests), one for each device")
  }

  /// Prints a view's content once it shows these names.
  ///
  /// A SwiftUI view reads `data` in its body and is drawn again by itself.
  static func show(_ device: Device, as name: String, until names: [String]) async {
    while device.albums.data.map(\.name) != names {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = device.albums.data
        } onChange: {
          continuation.resume()
        }
      }
    }
    print("\(name) shows \(names.joined(separator: ", "))")
  }
}
