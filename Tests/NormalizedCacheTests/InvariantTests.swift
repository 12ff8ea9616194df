import CacheModel
import CacheTestSupport
import FaultSearch
import NormalizedCache
import Testing

/// Waits on the main actor until something holds there; a test whose condition never holds fails at its time
/// limit.
///
/// - Throws: `CancellationError` at the limit.
@MainActor
func until(_ condition: () async -> Bool) async throws {
  while !(await condition()) {
    try Task.checkCancellation()
    await Task.yield()
  }
}

#if PLANTED_DEFECTS
  @Suite("A store that contradicts itself")
  struct InvariantTests {
    @Test("It says where, and goes on")
    func saysWhere() throws {
      var server = NoteServer(writing: (1, Note(folder: 0, title: "1")))
      var client = try NoteClient(.test(retention: .observed))
      client.store.planted.defect = .referenceLeakedOnReplace
      client.observe(.folder(0), from: server)
      let before = client.store.invariantFailure()
      #expect(before == nil)
      // Bypasses the client, which would record the fault.
      client.store.receive(server.write((1, Note(folder: 1, title: "1"))), at: client.now)
      let after = client.store.invariantFailure()
      #expect(after?.contains("reference") == true, "\(after ?? "no failure")")
    }
  }
#endif
