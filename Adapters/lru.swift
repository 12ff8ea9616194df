// A cache for `tidemark simulate --cache`: queries kept by recency, with a time to live.
//
// It keeps whole answers, follows no events, and asks again for what has expired, as `lru.py` does; any compiled language
// can speak the protocol so, without a library of ours. Build it with `swiftc -O Adapters/lru.swift -o .build/lru` and run it with
// `tidemark simulate SCENARIO --cache 'lru-swift=.build/lru --queries 500 --ttl 300'`.

import Foundation

/// What is read of a message; the rest is for other caches.
struct Message: Decodable {
  var t: String
  var n: Int
  var at: Int64
  var q: Int?
  var object: Int?
  var id: Int?
  var error: String?
  var rows: [Row]?
}

struct Row: Decodable {
  var object: Int
  var version: Int

  init(from decoder: any Decoder) throws {
    var members = try decoder.unkeyedContainer()
    object = try members.decode(Int.self)
    _ = try members.decode(String.self)
    version = try members.decode(Int.self)
  }
}

enum Target: Hashable {
  case query(Int)
  case object(Int)
}

struct Cache {
  struct Answer {
    var rows: String
    var at: Int64
    var used: Int
  }

  var capacity: Int
  var timeToLive: Int64
  var answers: [Target: Answer] = [:]
  var uses = 0
  /// By number: what was asked, and the turns that wait for it.
  var requests: [Int: (target: Target, turns: [Int])] = [:]
  var lastRequest = 0
  var output = ""

  mutating func read(_ turn: Int, _ target: Target, at now: Int64) {
    if let known = answers[target], now - known.at < timeToLive {
      uses += 1
      answers[target]?.used = uses
      return serve(turn, known.rows)
    }
    if let (id, _) = requests.first(where: { $0.value.target == target }) {
      requests[id]?.turns.append(turn)
      return
    }
    lastRequest += 1
    requests[lastRequest] = (target, [turn])
    switch target {
    case .query(let q): say(#""t":"fetch","id":\#(lastRequest),"q":\#(q)"#)
    case .object(let object): say(#""t":"fetch","id":\#(lastRequest),"object":\#(object)"#)
    }
  }

  mutating func answer(_ message: Message) {
    guard let id = message.id, let request = requests.removeValue(forKey: id) else { return }
    if let rows = message.rows {
      uses += 1
      let text = rows.map { "[\($0.object),\($0.version)]" }.joined(separator: ",")
      answers[request.target] = Answer(rows: text, at: message.at, used: uses)
      if answers.count > capacity, let oldest = answers.min(by: { $0.value.used < $1.value.used }) {
        answers[oldest.key] = nil
      }
    }
    for turn in request.turns {
      // Without a server, what there is, however old.
      if message.error != "refused", let known = answers[request.target] {
        serve(turn, known.rows)
      } else {
        say(#""t":"fail","for":\#(turn)"#)
      }
    }
  }

  mutating func serve(_ turn: Int, _ rows: String) {
    say(#""t":"serve","for":\#(turn),"rows":[\#(rows)]"#)
  }

  mutating func say(_ members: String) { output += "{\(members)}\n" }
}

var capacity = 500
var seconds: Int64 = 300
var words = CommandLine.arguments.dropFirst()
while let name = words.popFirst() {
  let value = words.popFirst().flatMap { Int64($0) }
  switch (name, value) {
  case ("--queries", let value?): capacity = Int(value)
  case ("--ttl", let value?): seconds = value
  default:
    FileHandle.standardError.write(Data("usage: lru [--queries N] [--ttl SECONDS]\n".utf8))
    exit(64)
  }
}
var cache = Cache(capacity: capacity, timeToLive: seconds * 1_000_000_000)
let decoder = JSONDecoder()

while let line = readLine() {
  let message = try decoder.decode(Message.self, from: Data(line.utf8))
  switch (message.t, message.q, message.object) {
  case ("hello", _, _):
    cache.say(#""t":"hello","protocol":1,"name":"lru.swift","version":"1","features":["parts"]"#)
  case ("read", let q?, _), ("observe", let q?, _): cache.read(message.n, .query(q), at: message.at)
  case ("open", _, let object?): cache.read(message.n, .object(object), at: message.at)
  case ("response", _, _): cache.answer(message)
  default: break
  }
  if message.t != "hello" { cache.say(#""t":"done","n":\#(message.n),"wake":null"#) }
  print(cache.output, terminator: "")
  fflush(stdout)
  cache.output = ""
}
