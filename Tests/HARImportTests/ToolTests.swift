import CacheModel
import HARImport
import RecordingCodec
import Testing
import Workloads

/// Entries as programs write them, reduced to the members in which they differ.
///
/// Sources: HAR 1.2; Chrome DevTools' `HARWriter`, Firefox's `har-builder`, WebKit's `HARBuilder`,
/// Playwright's `harTracer`, mitmproxy's `savehar`, and files that Charles, Proxyman and Fiddler export.
@Suite("Files of several programs")
struct ToolTests {
  @Test(
    "Each gives a read with its row",
    arguments: [
      // Chrome
      #"""
      {"_connectionId":"1","_initiator":{"type":"script"},"_priority":"High","_resourceType":"fetch",
      "cache":{},"pageref":"page_1","request":{"method":"GET","url":"https://a.test/tasks/1","httpVersion":"http/2.0",
      "headers":[],"queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},"response":{"status":200,
      "statusText":"","headers":[],"cookies":[],"content":{"size":8,"mimeType":"application/json","text":"{\"id\":1}"},
      "redirectURL":"","headersSize":-1,"bodySize":-1,"_transferSize":120,"_error":null,"_fetchedViaServiceWorker":false},
      "serverIPAddress":"1.2.3.4","startedDateTime":"2026-11-27T12:00:00.123Z","time":41.5,"timings":{"blocked":1}}
      """#,
      // Firefox
      #"""
      {"startedDateTime":"2026-11-27T13:00:00.123+01:00","request":{"bodySize":0,"method":"GET",
      "url":"https://a.test/tasks/1","httpVersion":"HTTP/2","headers":[],"cookies":[],"queryString":[],"headersSize":1},
      "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/2","headers":[],"cookies":[],
      "content":{"mimeType":"application/json; charset=utf-8","size":8,"text":"{\"id\":1}"},"redirectURL":"",
      "headersSize":1,"bodySize":8},"cache":{},"timings":{},"time":41,"_securityState":"secure","pageref":"page_2"}
      """#,
      // Safari
      #"""
      {"pageref":"page_0","startedDateTime":"2026-11-27T12:00:00.123Z","time":41.50000000372529,
      "request":{"method":"GET","url":"https://a.test/tasks/1","httpVersion":"HTTP/2","cookies":[],"headers":[],
      "queryString":[],"headersSize":1,"bodySize":0},"response":{"status":200,"statusText":"","httpVersion":"HTTP/2",
      "cookies":[],"headers":[],"content":{"size":8,"compression":0,"mimeType":"application/json","text":"{\"id\":1}"},
      "redirectURL":"","headersSize":1,"bodySize":8,"_transferSize":9},"cache":{},"timings":{"blocked":-1},
      "serverIPAddress":"","_serverPort":443,"connection":"1","_fetchType":"Network Load","_priority":"medium"}
      """#,
      // Charles
      #"""
      {"startedDateTime":"2026-11-27T12:00:00.123+00:00","time":41,"request":{"method":"GET",
      "url":"https://a.test/tasks/1","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"queryString":[],
      "headersSize":1,"bodySize":0},"response":{"_charlesStatus":"COMPLETE","status":200,"statusText":"OK",
      "httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":8,"compression":0,
      "mimeType":"application/json","text":"eyJpZCI6MX0=","encoding":"base64"},"redirectURL":null,"headersSize":0,
      "bodySize":8},"serverIPAddress":"1.2.3.4","cache":{},"timings":{"connect":1}}
      """#,
      // mitmproxy
      #"""
      {"startedDateTime":"2026-11-27T12:00:00.123456+00:00","time":41.2,"request":{"method":"GET",
      "url":"https://a.test/tasks/1","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"queryString":[],
      "headersSize":1,"bodySize":0},"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1",
      "cookies":[],"headers":[],"content":{"size":8,"compression":0,"mimeType":"application/json","text":"{\"id\":1}"},
      "redirectURL":"","headersSize":1,"bodySize":8},"cache":{},"timings":{},"serverIPAddress":"1.2.3.4"}
      """#,
      // Playwright
      #"""
      {"pageref":"page@1","_frameref":"frame@1","_monotonicTime":1.5,"startedDateTime":"2026-11-27T12:00:00.123Z",
      "time":41.123,"request":{"method":"GET","url":"https://a.test/tasks/1","httpVersion":"HTTP/1.1","cookies":[],
      "headers":[],"queryString":[],"headersSize":1,"bodySize":0},"response":{"status":200,"statusText":"OK",
      "httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":8,"mimeType":"application/json",
      "compression":0,"text":"{\"id\":1}"},"headersSize":1,"bodySize":8,"redirectURL":"","_transferSize":9},
      "cache":{},"timings":{"send":0},"_securityDetails":{}}
      """#,
      // Fiddler, with numbers as texts
      #"""
      {"startedDateTime":"2026-11-27T14:00:00.1230000+02:00","time":"41","connection":"1","request":{"method":"get",
      "url":"https://a.test:443/tasks/1","httpVersion":"HTTP/1.1","headers":[],"queryString":[],"cookies":[]},
      "response":{"status":"200","statusText":"OK","httpVersion":"HTTP/1.1","headers":[],"cookies":[],
      "content":{"size":"8","mimeType":"application/json","text":"{\"id\":1}"},"redirectURL":""},"cache":{},
      "timings":{"dns":-1}}
      """#,
    ])
  func entry(text: String) throws {
    let imported = try Imported([#"{"log":{"version":"1.2","entries":[\#(text)]}}"#])
    #expect(imported.asked == ["/tasks/:id"])
    #expect(imported.rows == [["task"]])
    #expect([41, 42].contains(imported.answers[0].answer.at.nanoseconds / 1_000_000))
  }

  @Test("A request that was never answered, as Playwright writes it, is a failure")
  func aborted() throws {
    var har = HARText()
    har.add("/tasks/1", at: 0, #"{"id":1}"#)
    har.add(
      "/tasks/1", at: 1, for: -0.001, status: -1, nil, mime: "x-unknown",
      response: "\"_failureText\":\"net::ERR_ABORTED\",")
    let imported = try har.imported()
    #expect(imported.session.summary.failed == 1)
    #expect(imported.reads.count == 2)
  }

  @Test("The summary has ten lines and says what a HAR file cannot show")
  func summary() throws {
    var har = HARText()
    for second in 0..<4 { har.add("/tasks/\(second)", at: Double(second), #"{"id":\#(second)}"#) }
    let lines = try har.imported().session.summary.lines
    #expect(lines.count == 10)
    #expect(lines[0] == "Entries     4 read, 4 of the app's data at 1 host: api.test")
    #expect(lines[3] == "Entities    4: task 4 × 8 B")
    #expect(lines[9].contains("no read repeats, so no cache can help: record a longer session"))
    #expect(lines[9].contains("in every HAR file: reads that the app's own cache served"))
  }

  @Test("The same files give the same bytes")
  func deterministic() throws {
    var har = HARText()
    for second in 0..<20 {
      har.add(
        "/tasks/\(second % 3)", at: Double(second),
        #"{"id":\#(second % 3),"n":\#(second),"p":{"id":1}}"#)
    }
    #expect(try har.imported().text == har.imported().text)
  }
}
