public import CacheModel

/// A violation of the rules by a cache under test.
public struct CacheFault: Error, Hashable, Sendable {
  public var kind: Kind
  /// The cache's output, or what was expected of it.
  public var detail: String
  /// The time and the turn; `nil`: before the first.
  public var turn: Int?
  public var at: Instant?

  public init(_ kind: Kind, _ detail: String = "", turn: Int? = nil, at: Instant? = nil) {
    self.kind = kind
    self.detail = detail
    self.turn = turn
    self.at = at
  }

  /// The source of error messages and of the document's table.
  public enum Kind: String, CaseIterable, Sendable {
    case notStarted = "not-started"
    case silentAtStart = "silent-at-start"
    case silent
    case ended
    case outputTooLong = "line-too-long"
    case tooManyLines = "too-many-lines"
    case tooMuchMemory = "too-much-memory"
    case notJSON = "not-json"
    case unknownMessage = "unknown-message"
    case badMember = "bad-member"
    case otherVersion = "other-version"
    case otherHello = "other-hello"
    case wrongTurn = "wrong-turn"
    case wakeInThePast = "wake-in-the-past"
    case wakesForEver = "wakes-forever"
    case unknownQuery = "unknown-query"
    case forgedVersion = "forged-version"
    case partAsWhole = "part-as-whole"
    case noSuchRead = "no-such-read"
    case usedID = "used-id"
    case noSuchWrite = "no-such-write"
    case storedTooMuch = "stored-too-much"
    case notOffered = "not-offered"
    case lacksFeature = "lacks-feature"
    case notDeterministic = "not-deterministic"
  }
}

extension CacheFault.Kind {
  /// The problem.
  public var meaning: String {
    switch self {
    case .notStarted: "the command cannot be started"
    case .silentAtStart: "no hello came within the start limit"
    case .silent: "a turn was not closed within its limit"
    case .ended: "the process ended, or closed its output, before `end`"
    case .outputTooLong: "a line has more bytes than a line may have"
    case .tooManyLines: "a turn has more lines than a turn may have"
    case .tooMuchMemory: "the processes of a cache take more memory than they may"
    case .notJSON: "a line is not a JSON object"
    case .unknownMessage: "a message is of a kind that the protocol does not have"
    case .badMember: "a member of a message is missing, unknown or of the wrong type"
    case .otherVersion: "the cache speaks another version of the protocol"
    case .otherHello: "a process of the cache says another hello than those before it"
    case .wrongTurn: "`done` closes another turn than the one under way"
    case .wakeInThePast: "the cache wants to be woken before the present"
    case .wakesForEver: "the cache wants to be woken again and again at one instant"
    case .unknownQuery: "a message names a query or an object that does not exist"
    case .forgedVersion: "a row is served in a version that this client was never sent"
    case .partAsWhole: "a row that shows a part is served where the whole is asked for"
    case .noSuchRead: "a read is answered that was not made, or was answered before"
    case .usedID: "a request has the number of another that is under way"
    case .noSuchWrite: "a write is sent that was not made, is under way, or is over"
    case .storedTooMuch: "what is stored has more bytes than a storage may have"
    case .notOffered: "the scenario cannot give list membership"
    case .lacksFeature: "the scenario asks for a feature that the cache does not name in hello"
    case .notDeterministic: "two runs of the cache gave different results"
    }
  }

  /// The fix.
  public var remedy: String {
    switch self {
    case .notStarted: "check the path and that the file may be executed"
    case .silentAtStart: "flush standard output after each line; write nothing before hello"
    case .silent: "flush standard output after `done`; look for an endless loop or a wait for input"
    case .ended: "look at what it wrote to standard error"
    case .outputTooLong: "serve fewer rows, or look for a line without an end"
    case .tooManyLines: "look for a loop in the turn"
    case .tooMuchMemory: "look for memory that is never freed, or allow more with --cache-memory"
    case .notJSON: "write only messages to standard output, the rest to standard error"
    case .unknownMessage: "compare `t` with the table of messages"
    case .badMember: "compare the message with the table of messages"
    case .otherVersion: "say `\"protocol\": 1` in hello"
    case .otherHello: "say the same name, version and features in each process"
    case .wrongTurn: "repeat the `n` of the line that is being answered"
    case .wakeInThePast: "run what is due before `done`, and name the earliest timer that is left"
    case .wakesForEver: "do not make a timer that has run due again at the same instant"
    case .unknownQuery: "use the numbers of hello"
    case .forgedVersion: "keep the versions of rows as they were sent"
    case .partAsWhole: "fetch what is asked for, unless the whole of each row was sent"
    case .noSuchRead: "answer each read, observe and open once, by its `n`"
    case .usedID: "count requests up"
    case .noSuchWrite: "send each write by its token, and again only after `unreachable`"
    case .storedTooMuch: "remove what is not needed: store its key with the value null"
    case .notOffered: "leave @given out: the cache then works out its lists itself"
    case .lacksFeature: "name it in `features` of hello once the cache has it, or leave it out here"
    case .notDeterministic: "use no clock, no random numbers and no order of a hash table"
    }
  }
}

extension CacheFault: CustomStringConvertible {
  /// The place, the problem, the cache's output, the fix, and the word in the document.
  public var description: String {
    var place = ""
    if let turn { place = "turn \(turn)" }
    if let at { place += "\(place.isEmpty ? "" : " ")at \(at.inWords)" }
    let said = detail.isEmpty ? "" : " (\(detail))"
    return "\(place.isEmpty ? "" : place + ": ")\(kind.meaning)\(said); \(kind.remedy) "
      + "[\(kind.rawValue)]"
  }
}

extension Instant {
  /// In the units of lines and of people: `1021000000 ns (1.021 s)`.
  package var inWords: String {
    "\(nanoseconds) ns (\(Instant.zero.duration(to: self).inWords))"
  }
}

extension Duration {
  /// In seconds, without trailing zeros: `300 s`, `0.02 s`.
  package var inWords: String {
    let (seconds, attoseconds) = magnitude.components
    let places = String(attoseconds / 1_000_000_000 + 1_000_000_000).dropFirst()
    let fraction = String(places.reversed().drop { $0 == "0" }.reversed())
    return (self < .zero ? "-" : "") + "\(seconds)" + (fraction.isEmpty ? "" : ".\(fraction)")
      + " s"
  }

  private var magnitude: Duration { self < .zero ? .zero - self : self }
}
