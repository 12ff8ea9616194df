import CacheModel
import HARImport
import RecordingCodec
import Testing
import Workloads

@Suite("Evidence in answers, and unknown parts")
struct EvidenceTests {
  private static let a = #"{"id":1,"title":"a"}"#
  private static let b = #"{"id":1,"title":"b"}"#

  @Test(
    "An answer of the browser's cache says nothing about the server",
    arguments: [
      (",\"_fromCache\":\"disk\"", ""), ("", "\"_fetchedViaServiceWorker\":true,"),
      ("", "\"_transferSize\":0,"), (",\"_fetchType\":\"Memory Cache\"", ""),
      (",\"_fetchType\":\"Disk Cache\"", ""), (",\"cache\":{\"afterRequest\":null}", ""),
      (",\"cache\":{\"afterRequest\":{\"eTag\":\"\"}}", "\"bodySize\":-1,"),
    ])
  func cached(more: String, response: String) throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.b)
    har.add("/tasks/1", at: 1, Self.a, more: more, response: response)
    har.add("/tasks/1", at: 2, Self.b)
    let imported = try har.imported()
    #expect(imported.reads.count == 3)
    #expect(imported.session.summary.served == 1)
    #expect(imported.changes.isEmpty)
    #expect(imported.answers.count == 2)
    #expect(imported.summary.contains("record with caches off"))
  }

  @Test(
    "An answer of the network is the server's, whatever a cache kept of it",
    arguments: [
      (",\"_fetchType\":\"Network Load\"", ""),
      (",\"cache\":{\"afterRequest\":null}", "\"bodySize\":22,"),
      (",\"cache\":{\"beforeRequest\":null,\"afterRequest\":null}", ""),
    ])
  func uncached(more: String, response: String) throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.b)
    har.add("/tasks/1", at: 1, Self.a, more: more, response: response)
    #expect(try har.imported().session.summary.served == 0)
  }

  @Test("A 304 confirms at that instant, and so does a 200 with the body")
  func unchanged() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.a)
    har.add("/tasks/1", at: 3, status: 304, nil)
    har.add("/tasks/1", at: 5, Self.a, response: "\"_transferSize\":100,")
    har.add("/tasks/1", at: 9, Self.b)
    let imported = try har.imported()
    #expect(imported.versions == [["1v1"], ["1v1"], ["1v1"], ["1v2"]])
    #expect(imported.changes.map(\.since) == [5])
    #expect(imported.answers.map(\.answer.isUnchanged) == [false, true, false, false])
  }

  @Test(
    "A body that is missing leaves rows unknown, never empty, and the summary says how to record it"
  )
  func missing() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, nil)
    har.add("/tasks/1", at: 1, Self.a)
    har.add("/tasks/1", at: 2, nil)
    har.add("/tasks/2", at: 3, nil)
    let imported = try har.imported()
    #expect(imported.rows == [["request"], ["task"], nil, ["request"]])
    #expect(imported.session.summary.unknown == 3)
    #expect(imported.summary.contains("3 answers without a body"))
    #expect(imported.summary.contains("includeResponseBodies"))
    #expect(imported.states.map { Int($0.bytes) }[1] == 100)
  }

  @Test("A file without bodies is refused with a setting to change, one without entities too")
  func nothing() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, nil)
    let error = #expect(throws: HARImportError.self) { try har.imported() }
    #expect(error?.cause == "no answer has its body, so nothing is known of any row")
    #expect(error?.remedy.contains("Save all as HAR with content") == true)
    var plain = HARText()
    plain.add("/tasks/1", at: 0, #"{"a":1}"#)
    let empty = #expect(throws: HARImportError.self) { try HARText().imported() }
    #expect(empty?.cause == "there are no entries")
    let other = #expect(throws: HARImportError.self) { try plain.imported() }
    #expect(other?.cause.hasPrefix("no answer holds an entity") == true)
    var socket = HARText()
    socket.add(
      "wss://api.test/s", at: 0, status: 101, nil,
      more: #","_webSocketMessages":[{"type":"receive","time":1795780801,"data":"{}"}]"#)
    let silent = #expect(throws: HARImportError.self) { try socket.imported() }
    #expect(silent?.cause == "no request is for data (left out: sockets without entities 1)")
    plain.add("/tasks/1", at: 1, "H4sI", content: ",\"encoding\":\"base64\"")
    let damaged = #expect(throws: HARImportError.self) { try plain.imported() }
    #expect(
      damaged?.cause.hasPrefix(
        "no answer holds an entity, and the JSON of 1 is damaged: entry 2 at byte 1 of its body: ")
        == true)
    let elsewhere = #expect(throws: HARImportError.self) {
      try plain.imported { $0.hosts = ["nowhere.test"] }
    }
    #expect(elsewhere?.cause == "no request went to nowhere.test")
  }

  @Test("Base64 bodies are decoded; a damaged body is as good as none")
  func bodies() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, "eyJpZCI6MSwidGl0bGUiOiJhIn0=", content: ",\"encoding\":\"base64\"")
    har.add("/tasks/1", at: 1, Self.a)
    har.add("/tasks/1", at: 2, #"{"id":1,"titl"#)
    har.add("/tasks/1", at: 3, ")]}',\n\(Self.a)")
    let imported = try har.imported()
    #expect(imported.rows == [["task"], ["task"], nil, ["task"]])
    #expect(imported.changes.isEmpty)
    #expect(
      imported.summary.contains("1 answer whose JSON is damaged (entry 3 at byte "),
      "\(imported.summary)")
  }

  @Test("Damage in a body is counted from its first byte, even after a prefix of the JSON")
  func placeOfDamage() throws {
    for (body, byte) in [(#"{"id":1,]"#, 9), (#"for(;;);{"id":1,]"#, 17)] {
      var har = HARText()
      har.add("/tasks/1", at: 0, Self.a)
      har.add("/tasks/1", at: 1, body)
      har.add("/tasks/1", at: 2, "no JSON at all")
      let summary = try har.imported().summary
      #expect(
        summary.contains("2 answers whose JSON is damaged (entry 2 at byte \(byte) of its body: "),
        "\(summary)")
    }
  }

  @Test(
    "A prefix that servers write before JSON, so that no script can run it, is skipped",
    arguments: [
      "\u{FEFF}", "\u{FEFF})]}',\n", ")]}',\n", ")]}'\n", "for(;;);", "while(1);", "\n while(1);",
      "])}while(1);</x>",
    ])
  func guards(text: String) throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, text + Self.a)
    let imported = try har.imported()
    #expect(imported.rows == [["task"]] && !imported.summary.contains("damaged"))
  }

  @Test("A stream of events whose data were left out of the file is reported")
  func silentStreams() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.a)
    har.add("/events", at: 1, nil, mime: "text/event-stream")
    har.add(
      "/events", at: 2, nil, mime: "text/event-stream",
      more: ",\"_eventSourceMessages\":[{\"time\":\(HARText.begin + 3),\"eventName\":\"message\"}]")
    let summary = try har.imported().summary
    #expect(summary.contains("2 streams of server-sent events without their data"), "\(summary)")
    #expect(summary.contains("sockets without entities 2"), "\(summary)")
  }

  @Test(
    "A time that is missing or negative is an error that names the entry",
    arguments: [
      ("\"time\":50.0", "\"time\":-1"), ("\"time\":50.0,", ""), ("\"time\":50.0", "\"time\":\"x\""),
      ("\"startedDateTime\":\"2026", "\"startedDateTime\":\"yesterday "),
      ("\"startedDateTime\":\"2026-11-27T12:00:01.000Z\",", ""),
      ("\"url\":\"https://api.test/tasks/1\",\"httpVersion\"", "\"httpVersion\""),
    ])
  func times(written: String, replacement: String) throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, Self.a)
    har.add("/tasks/1", at: 1, Self.a)
    #expect(har.entries[1].contains(written))
    har.entries[1] = har.entries[1].replacing(written, with: replacement)
    let error = #expect(throws: HARImportError.self) { try har.imported() }
    #expect(error?.entry == 2)
  }

  @Test("A file that is damaged anywhere is imported or refused, and ends nothing")
  func damage() throws {
    var har = HARText()
    har.pages = #"[{"id":"p","startedDateTime":"2026-11-27T12:00:00Z"}]"#
    har.add(
      "/tasks?page=1", at: 0, #"{"total":1,"items":[{"id":1,"title":"a","p":{"id":2}}]}"#, page: "p"
    )
    har.ask("query T($a: Int) { t(a: $a) { id } }", "T", #"{"a":1}"#, at: 1, #"{"t":{"id":1}}"#)
    har.add("DELETE", "/tasks/1", at: 2, status: 204, "", sends: "{}")
    har.add(
      "wss://api.test/s", at: 3, status: 101, nil,
      more:
        #","_webSocketMessages":[{"type":"receive","time":1795780804.5,"opcode":1,"data":"{\"task\":{\"id\":1}}"}]"#
    )
    let whole = Array(har.text.utf8)
    let letters = Array("\"\\{}[]:,019-eE.nul% \u{0}ÿ".utf8)
    var random = RandomSource(seed: 1)
    var (imported, refused) = (0, 0)
    for _ in 0..<1_500 {
      var bytes = whole
      for _ in 0...Int(random.next() % 3) {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[place] = letters[Int(random.next() % UInt64(letters.count))]
        case 1: bytes.remove(at: place)
        default: bytes.insert(letters[Int(random.next() % UInt64(letters.count))], at: place)
        }
      }
      do throws(HARImportError) {
        var reader = HARReader(HARImportOptions())
        try reader.consume(bytes)
        try reader.finishFile()
        _ = try SessionFromHAR(reader)
        imported += 1
      } catch {
        refused += 1
      }
    }
    #expect(imported > 300 && refused > 100)
  }

  @Test("Entries are sorted by their beginning, whose offset counts; numbers may be texts")
  func order() throws {
    var har = HARText()
    har.add("/tasks/2", at: 5, Self.a)
    har.add("/tasks/1", at: 1, Self.a)
    har.entries[1] = har.entries[1]
      .replacing("T12:00:01.000Z", with: "T13:00:01.000+01:00")
      .replacing("\"time\":50.0", with: "\"time\":\"50.0\"")
      .replacing("\"status\":200", with: "\"status\":\"200\"")
    let imported = try har.imported()
    #expect(imported.reads.map(\.at.nanoseconds) == [0, 4_000_000_000])
    #expect(imported.answers.map(\.answer.at.nanoseconds) == [50_000_000, 4_050_000_000])
  }

  @Test("Of two members with one name the last counts; invalid Unicode is repaired")
  func leniency() throws {
    var har = HARText()
    har.add(
      "/tasks/1", at: 0, #"{"id":2,"id":1,"title":"\ud800","n":1e3,"big":123456789012345678901}"#)
    har.add("/tasks/1", at: 1, #"{"id":1,"title":"\ud800","n":1e3,"big":123456789012345678901}"#)
    #expect(try har.imported().session.summary.entities == 1)
    #expect(try har.imported().changes.isEmpty)
    let damaged = "{\"log\":{\"entries\":[\(har.entries[0].replacing("h2", with: "\u{FFFD}"))]}}"
    var bytes: [UInt8] = []
    for byte in damaged.utf8 { bytes.append(byte == 0xEF ? 0xFF : byte) }
    var reader = HARReader(HARImportOptions())
    try reader.consume(bytes)
    try reader.finishFile()
    #expect(try SessionFromHAR(reader).summary.reads == 1)
  }
}
