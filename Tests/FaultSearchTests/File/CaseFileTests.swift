import CacheModel
import CacheTestSupport
import FaultSearch
import Testing

@Suite("Written cases", .timeLimit(.minutes(30)))
struct CaseFileTests {
  @Test("A case is read as it was written", arguments: 0..<60 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    let faultCase = FaultSearch.search(seed: seed, steps: 150).faultCase
    let bytes = CaseFile.write(faultCase, remarks: ["two\nlines"])
    #expect(try CaseFile.read(bytes) == faultCase)
  }

  @Test("A case reads as a person would tell it")
  func isReadable() {
    let faultCase = FaultCase(
      seed: 7, composition: .test(capacity: Capacity(entities: 4)),
      steps: [
        .publish(
          server: 0,
          .change([NoteWrite(number: 3, note: Note(folder: 1, title: "b", isStarred: true))]),
          event: 1, .sent),
        .observe(NoteQuery.folder(1).key()), .deliver(event: 1), .wait(milliseconds: 20),
      ])
    let text = String(decoding: CaseFile.write(faultCase, remarks: ["why"]), as: UTF8.self)
    #expect(
      text == """
        tidemark-case version=1
        # why
        run seed=7
        capacity entities=4 bytes=- high=1.0 low=1.0 queries=-
        eviction order=lru retention=none
        release buffer=no queries=- age=-
        freshness lifetime=- folder=- drops-expired=no revalidate=0 error=0
        events admission=write-allocate membership=patch gap=replay reorder=200 coalescing=0
        change server=0 event=1 told=sent notes=3=1:b:*:0
        observe query=test/folder:1
        deliver event=1
        wait milliseconds=20

        """)
  }

  private static let header = """
    tidemark-case version=1
    run seed=7
    capacity entities=4 bytes=- high=1.0 low=1.0 queries=-
    eviction order=lru retention=none
    release buffer=no queries=- age=-
    freshness lifetime=- folder=- drops-expired=no revalidate=0 error=0
    events admission=write-allocate membership=patch gap=replay reorder=200 coalescing=0

    """

  private static let shape =
    "shape types=both subject=labels star=- length=<=3 order=title,-length rows=4 paged=no\n"

  @Test(
    "A shape shows the whole unless its line says otherwise", arguments: ["", " shows=summary"])
  func levels(words: String) throws {
    let line = Self.shape.dropLast() + words + "\n"
    let faultCase = try CaseFile.read(Array((Self.header + line).utf8))
    #expect(faultCase.shapes.map(\.showsSummaries) == [!words.isEmpty])
    #expect(String(decoding: CaseFile.write(faultCase), as: UTF8.self).contains(line))
  }

  @Test(
    "An error says line, cause and remedy",
    arguments: [
      ("", "f:1: a line \"tidemark-case …\" is missing; add it"),
      ("{\"format\":\"tidemark-session\"}\n", "f:1: this is not a case; name a file"),
      ("tidemark-case version=9\n", "f:1: its version is 9, this program reads 1; search again"),
      (header + "fly to=moon\n", "f:8: \"fly\" is no step; steps are change, batch"),
      (header + "\u{1B}[2J\r\n", "f:8: \"\\u{1B}[2J\\u{D}\\u{A}"),
      (header + "deliver event=\u{7}\n", "f:8: event=\\u{7} cannot be read"),
      (header + "deliver\n", "f:8: deliver has no event; add event=a whole number"),
      (header + "deliver event=x\n", "f:8: event=x cannot be read; write event=a whole"),
      (header + "deliver event=1 twice\n", "f:8: \"twice\" is no field; write name=value"),
      (header + "deliver event=1 at=2\n", "f:8: deliver has no field called at; remove it"),
      (header + "read query=test/moon\n", "f:8: query=test/moon cannot be read; write query=test"),
      (
        header + "read query=test/declared:0:0\n", "f:8: test/declared:0:0 is no query of this case"
      ),
      (header + "shape types=all\n", "f:8: types=all cannot be read; write types=notes|tasks|both"),
      (
        header + shape + "change server=0 event=1 told=sent notes=3=9:b:*:0\n",
        "f:9: a note has what declared shapes do not know; write a folder of 0...2"
      ),
      (header + shape + "read query=test/opaque\n", "f:9: test/opaque is no query of this case"),
      (header + "cut server=3\n", "f:8: server=3 cannot be read; write server=a whole number from"),
      (header + "read-entity note=50\n", "f:8: note=50 cannot be read; write note=the number of"),
      (
        header + "wait milliseconds=-1\n",
        "f:8: milliseconds=-1 cannot be read; write milliseconds=a whole number from 0"
      ),
      (
        header.replacing("order=lru", with: "order=luck"),
        "f:3: no cache can be made so: no eviction order is called \"luck\""
      ),
      (header.replacing("low=1.0", with: "low=2"), "f:3: no cache can be made so: watermarks are"),
    ])
  func errors(text: String, message: String) {
    let error = #expect(throws: CaseError.self) { try CaseFile.read(Array(text.utf8)) }
    #expect(error?.text(in: "f").hasPrefix(message) == true, "\(error?.text(in: "f") ?? "")")
  }

  @Test("A file that is too large is refused before it is read")
  func refusesWhatIsTooLarge() {
    let bytes = [UInt8](repeating: UInt8(ascii: "#"), count: CaseFile.sizeLimit + 1)
    #expect(throws: CaseError.self) { try CaseFile.read(bytes) }
  }
}
