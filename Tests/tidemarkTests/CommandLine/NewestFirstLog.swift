/// The log of an app that shows a directory with its newest file first: every four seconds a file is
/// added, and the list is read twice before the next.
enum NewestFirstLog {
  private static let initialFiles = 4
  private static let addedFiles = 30

  /// The line of the query.
  static let queryLine = 1 + 1 + initialFiles + addedFiles + 1 + initialFiles + 1

  /// - Parameters:
  ///   - order: what the log says of the query; `nil`: nothing.
  ///   - outcome: of every read but the first, which is a miss.
  /// - Returns: 61 reads.
  static func jsonl(order: String?, outcome: String = "hit") -> String {
    var lines = [
      #"{"format":"tidemark-session","version":1,"truth":"observed","name":"photo-grid","#
        + #""duration":300000000000,"library":"5b1c9e0a-41d7-4e4c-9a3e-0f4d2b7c1a11","#
        + #""network":{"minimumRoundTrip":10000000,"meanExtra":0},"#
        + #""retention":{"events":100,"age":50000000000}}"#
    ]
    for object in 0...initialFiles + addedFiles {
      let type = object == 0 ? "directory" : "file"
      let id = "0d5a8f52-7c1b-4e9f-8a2d-3b6c4e1f0a\(object + 10)"
      lines.append(#"{"line":"object","type":"\#(type)","id":"\#(id)"}"#)
    }
    lines.append(
      #"{"line":"state","object":0,"clock":65536,"device":1,"name":"photos","bytes":900}"#)
    lines += (1...initialFiles).map { #"{"line":"state",\#(state(of: $0))}"# }
    let orderMember = order.map { #","order":"\#($0)""# } ?? ""
    lines += [
      #"{"line":"query","method":"files.directory","subject":0,"limit":1000\#(orderMember)}"#,
      #"{"line":"client","name":"desktop","partitions":[]}"#,
      read(at: 1_000, newest: initialFiles, outcome: "miss_cold"),
    ]
    for added in 0..<addedFiles {
      let (newest, at) = (initialFiles + 1 + added, 4_000 * (added + 1))
      lines += [
        #"{"line":"mutation","at":\#(at)000000,"device":1,"epoch":1,"sequence":\#(added + 1),"#
          + #""kind":"changed","bytes":2100,"items":[{\#(state(of: newest))}]}"#,
        #"{"line":"delivery","client":0,"at":\#(at + 10)000000,"mutation":\#(added)}"#,
        read(at: at + 1_000, newest: newest, outcome: outcome),
        read(at: at + 3_000, newest: newest, outcome: outcome),
      ]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Names are in no order of time.
  private static func state(of file: Int) -> String {
    let letters = Array("abcdefgh")
    let name = "photo\(letters[file % 7])\(letters[file / 7])"
    return #""object":\#(file),"clock":\#(clock(file)),"device":1,"parent":0,"name":"\#(name)","#
      + #""modified":\#(file),"bytes":2000"#
  }

  private static func clock(_ file: Int) -> Int { (file + 1) * 65_536 }

  private static func read(at milliseconds: Int, newest: Int, outcome: String) -> String {
    let rows = (1...newest).reversed().map { "[\($0),\(clock($0)),1,2000]" }
    return #"{"line":"action","client":0,"at":\#(milliseconds)000000,"do":"read","query":0,"#
      + #""outcome":"\#(outcome)","result":[\#(rows.joined(separator: ","))]}"#
  }
}
