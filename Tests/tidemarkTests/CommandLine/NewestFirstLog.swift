/// The log of an app that shows a directory with its newest file first: every four seconds a file is
/// added, and the list is read twice before the next.
enum NewestFirstLog {
  private static let initialFiles = 4
  private static let addedFiles = 30

  /// What the log says of the list.
  enum Order: String {
    case name = #""order":[{"field":"name"}],"#
    case newest = #""order":[{"field":"modified","descending":true}],"#
    case asShown = ""
  }

  /// The line of the first read.
  static let readLine = 1 + 1 + initialFiles + addedFiles + 1 + initialFiles + 1 + 1 + 1

  /// - Parameters:
  ///   - order: what the log says of the list.
  ///   - outcome: of every read but the first, which is a miss.
  /// - Returns: 61 reads.
  static func jsonl(order: Order, outcome: String = "hit") -> String {
    var lines = [
      #"{"format":"tidemark-session","version":3,"truth":"observed","name":"photo-grid","#
        + #""duration":300000000000,"library":"5b1c9e0a-41d7-4e4c-9a3e-0f4d2b7c1a11","#
        + #""network":{"minimumRoundTrip":10000000,"meanExtra":0},"#
        + #""retention":{"events":100,"age":50000000000},"model":{"types":[{"name":"directory"},"#
        + #"{"name":"file","fields":[{"name":"directory","holds":"reference","to":"directory"},"#
        + #"{"name":"name","holds":"text"},{"name":"modified","holds":"time"}]}],"queries":["#
        + #"{"name":"files","lists":["file"],"where":[{"field":"directory","is":"subject"}],"#
        + #"\#(order.rawValue)"class":"grid"}]}}"#
    ]
    for object in 0...initialFiles + addedFiles {
      let type = object == 0 ? "directory" : "file"
      lines.append(#"{"line":"object","type":"\#(type)","id":"\#(object)"}"#)
    }
    lines.append(#"{"line":"state","object":0,"clock":65536,"device":1,"bytes":900}"#)
    lines += (1...initialFiles).map { #"{"line":"state",\#(state(of: $0))}"# }
    lines += [
      #"{"line":"query","name":"files","subject":0,"limit":1000}"#,
      #"{"line":"client","name":"desktop"}"#,
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
    return #""object":\#(file),"clock":\#((file + 1) * 65_536),"device":1,"bytes":2000,"#
      + #""fields":{"directory":0,"name":"\#(name)","modified":\#(file)}"#
  }

  private static func read(at milliseconds: Int, newest: Int, outcome: String) -> String {
    let rows = (1...newest).reversed().map { "\($0)" }.joined(separator: ",")
    return #"{"line":"action","client":0,"at":\#(milliseconds)000000,"do":"read","query":0,"#
      + #""outcome":"\#(outcome)","result":[\#(rows)]}"#
  }
}
