import CacheModel
import HARImport
import RecordingCodec
import Testing
import Workloads

@Suite("An imported recording has none of the app's content")
struct PrivacyTests {
  /// Replaces anything that may be private, with capitals and digits as keys have them.
  private static let secret = "Zq7kSecret42"

  private static var har: HARText {
    let s = secret
    var har = HARText()
    har.pages =
      #"[{"id":"\#(s)","title":"https://\#(s).test/\#(s)","startedDateTime":"2026-11-27T12:00:00Z","comment":"\#(s)"}]"#
    let header = #"[{"name":"X-\#(s)","value":"\#(s)"}]"#
    for second in 0..<3 {
      har.add(
        "POST", "/files/\(s)/\(s).pdf/mail/\(s)@example.com/list?q=\(s)&\(s)&\(s)=\(second)",
        at: Double(second),
        #"{"id":"\#(s)","\#(s)":"\#(s)","type":"\#(s)","mail":"\#(s)@example.com","\#(s)@x.y":{"id":"\#(s)","version":"\#(s)"},"map":{"\#(s)":{"id":"\#(s)"}}}"#,
        sends: #"{"\#(s)":"\#(s)"}"#, page: s,
        more:
          #","comment":"\#(s)","serverIPAddress":"\#(s)","connection":"\#(s)","_initiator":{"url":"\#(s)"},"_priority":"\#(s)""#
      )
      har.add(
        "/\(s)/notes/\(s)?access_token=\(s)\(second)", at: Double(second) + 0.3,
        #"[{"id":"\#(s)@example.com","name":"\#(s)","updatedAt":"\#(s)"}]"#, page: s,
        content: ",\"comment\":\"\(s)\"")
      har.ask(
        "query \(s)Name($a: String) { \(s)alias: f(a: \"\(s)\") { id } }", nil,
        #"{"a":"\#(s)"}"#, at: Double(second) + 0.5,
        #"{"\#(s)alias":{"__typename":"Note","id":"\#(s)","text":"\#(s)"}}"#)
    }
    har.entries = har.entries.map {
      $0.replacing("\"headers\":[]", with: "\"headers\":\(header)")
        .replacing("\"cookies\":[]", with: "\"cookies\":\(header)")
        .replacing("\"queryString\":[]", with: "\"queryString\":\(header)")
        .replacing("\"statusText\":\"\"", with: "\"statusText\":\"\(s)\"")
    }
    har.add(
      "wss://api.test/\(s)", at: 4, status: 101, nil,
      more:
        #","_webSocketMessages":[{"type":"receive","time":\#(HARText.begin + 5),"opcode":1,"data":"{\"type\":\"\#(s)\",\"note\":{\"id\":\"\#(s)\",\"x\":\"\#(s)\"}}"}]"#
    )
    return har
  }

  @Test(
    "No identity, text, address, e-mail or file name, planted in every member",
    arguments: [false, true])
  func secrets(isAnonymous: Bool) throws {
    let imported = try Self.har.imported {
      $0.isAnonymous = isAnonymous
      $0.reads = [.init("POST /files/:a/:b/mail/:c/list")].compactMap(\.self)
    }
    #expect(imported.reads.count == 9)
    for text in [imported.text, imported.summary] {
      let found = text.lowercased().ranges(of: Self.secret.lowercased()).count
      #expect(found == 0, "\(text)")
      #expect(!text.contains("example.com"))
    }
  }

  @Test("A value of an answer is not the name of a path, even if it looks like one")
  func words() throws {
    var har = HARText()
    har.add("/users/alice/posts", at: 0, #"[{"id":1,"author":"alice"}]"#)
    #expect(try har.imported().asked == ["/users/:id/posts"])
  }

  @Test(
    "People's words are not kept as names: below a collection, below a search, as keys of a map")
  func people() throws {
    var har = HARText()
    har.add("/users/alice", at: 0, #"{"id":5}"#)
    har.add("/users/dave/orders", at: 1, #"[{"id":6}]"#)
    har.add("/tags/divorce/posts", at: 2, #"[{"id":7}]"#)
    har.add("/search/bankruptcy", at: 3, #"{"results":[{"id":8}]}"#)
    har.add(
      "/teams", at: 4, #"{"members":{"erin":{"id":1},"carol":{"id":2}},"lists":{"frank":{"id":3}}}"#
    )
    har.add("/people/ivan", at: 6, #"{"id":9}"#)
    har.add("/children/judy/notes", at: 7, #"[{"id":10}]"#)
    har.add("/news/mallory-wins", at: 8, #"{"id":11}"#)
    har.add("/people", at: 5, #"{"grace":{"id":1,"a":1},"heidi":{"id":2,"a":2}}"#)
    let imported = try har.imported()
    for name in [
      "alice", "dave", "divorce", "bankruptcy", "erin", "carol", "frank", "grace", "heidi",
      "ivan", "judy", "mallory",
    ] {
      #expect(!imported.text.contains(name) && !imported.summary.contains(name), "\(name)")
    }
    #expect(imported.types.prefix(3) == ["user", "order", "post"])
    #expect(imported.asked.suffix(3) == ["/people/:id", "/children/:id/notes", "/news/:id"])
    #expect(
      imported.types.dropFirst(4).prefix(5) == ["member", "member", "list", "people", "people"])
    #expect(imported.types.suffix(3) == ["people", "note", "news"])
  }

  @Test("--anonymous drops names of types, operations, paths and hosts")
  func anonymous() throws {
    var har = HARText()
    har.add("/projects/1/tasks", at: 0, #"[{"id":1,"owner":{"id":2}}]"#)
    har.ask("query Everything { me { id } }", at: 1, #"{"me":{"__typename":"Person","id":"1"}}"#)
    let imported = try har.imported { $0.isAnonymous = true }
    for word in ["projects", "task", "owner", "verything", "erson", "api.test", "graphql"] {
      #expect(!imported.text.contains(word), "\(word)")
      #expect(!imported.summary.contains(word), "\(word)")
    }
    #expect(imported.asked == ["query 1", "query 2"])
  }
}
