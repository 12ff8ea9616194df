#if PLANTED_DEFECTS
  import CacheModel
  import FaultSearch
  import NormalizedCache
  import Testing
  import TidemarkTestSupport

  @Suite("A store that contradicts itself")
  struct InvariantTests {
    @Test("It is an issue of the test that sees it, and not the end of the run")
    func isAnIssue() throws {
      var server = NoteServer()
      server.write((1, Note(folder: 0, title: "1")))
      var client = try NoteClient(.test(retention: .observed))
      client.store.plantedDefect = .referenceLeakedOnReplace
      client.observe(.folder(0), from: server)
      client.store.checkInvariants()
      client.receive(server.write((1, Note(folder: 1, title: "1"))))
      withKnownIssue { client.store.checkInvariants() }
    }
  }
#endif
