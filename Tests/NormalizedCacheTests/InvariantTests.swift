#if PLANTED_DEFECTS
  import CacheModel
  import FaultSearch
  import NormalizedCache
  import Testing
  import CacheTestSupport

  @Suite("A store that contradicts itself")
  struct InvariantTests {
    @Test("It says where, and goes on")
    func saysWhere() throws {
      var server = NoteServer()
      server.write((1, Note(folder: 0, title: "1")))
      var client = try NoteClient(.test(retention: .observed))
      client.store.planted.defect = .referenceLeakedOnReplace
      client.observe(.folder(0), from: server)
      let before = client.store.invariantFailure()
      #expect(before == nil)
      client.receive(server.write((1, Note(folder: 1, title: "1"))))
      let after = client.store.invariantFailure()
      #expect(after?.contains("reference") == true, "\(after ?? "no failure")")
    }
  }
#endif
