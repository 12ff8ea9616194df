import CacheModel
import FoundationEssentials
import Testing

@testable import RealTime

@Suite("Events on the wire")
struct WireMessageTests {
  private let library = FileLibrary(directories: 1, filesPerDirectory: 2, seed: 1)

  @Test("Bytes that are no message are refused", arguments: ["", "{", "[]", "{\"id\":1}", "null"])
  func garbage(text: String) {
    #expect(throws: DecodingError.self) {
      try WireDecoder().envelope(from: Data(text.utf8))
    }
  }

  @Test("A change of one resource carries exactly one", arguments: [0, 2])
  func count(resources: Int) throws {
    let resource = WireMessage.Resource(
      clock: 1, device: 1, value: library.payload(ofFile: 0, revision: 0))
    let message = WireMessage(
      id: resource.value.id, timestamp: resource.value.createdAt, libraryID: library.libraryUUID,
      epoch: 1, sequence: 1, kind: .resourceChanged,
      resources: Array(repeating: resource, count: resources))
    let bytes = try WireEncoder().bytes(of: message)
    let error = #expect(throws: SyncProtocolError.self) {
      try WireDecoder().envelope(from: bytes)
    }
    #expect(error?.description.contains("carries \(resources) resources") == true)
  }
}
