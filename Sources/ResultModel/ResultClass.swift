/// Which observations of a metric a row is of.
///
/// As text, and in the `class` column: the parts that are there, in this order, with `/` between, such as
/// `single`, `single/apps`, `entities/event/1000` and `single/store/hot`. The order and the forms of the
/// parts keep them apart: a size is all digits, and no lane is.
public struct ResultClass: Hashable, Sendable {
  /// What was counted or timed: a query class (`file`, `total`), a kind of event (`single`), a
  /// transport; never empty.
  public let subject: String
  /// The way to it, where there are several: what was asked (`event`, `mutate`) or passed (`apps`,
  /// `store`).
  public let lane: Lane?
  /// Among how many others, if that varies.
  public let size: Int?
  public let pace: Pace

  /// A way to a subject, one of those in use.
  public enum Lane: String, Hashable, Sendable, CaseIterable {
    /// Events that notified an observer.
    case notified
    /// By what is made for apps.
    case apps
    /// A store without its actor.
    case store
    /// A screen that draws on time.
    case frameBoundary = "frame-boundary"
    case event
    case read
  }

  /// How the next operation comes.
  public enum Pace: String, Hashable, Sendable, CaseIterable {
    /// At instants that were drawn, whether or not the one before is done, or one by one where nothing
    /// is timed.
    case openLoop = ""
    /// As soon as the one before is done.
    case backToBack = "hot"
  }

  /// - Precondition: the subject is not empty and has no `/`, and the size is not negative.
  public init(_ subject: String, lane: Lane? = nil, size: Int? = nil, pace: Pace = .openLoop) {
    precondition(
      !subject.isEmpty && !subject.utf8.contains(UInt8(ascii: "/")), "no subject: \(subject)")
    precondition(size.map { $0 >= 0 } ?? true, "a size below 0")
    self.subject = subject
    self.lane = lane
    self.size = size
    self.pace = pace
  }

  /// The class of that text.
  ///
  /// - Returns: `nil` for a text that no class has.
  public init?(text: String) {
    var parts = text.split(separator: "/", omittingEmptySubsequences: false)[...]
    guard let subject = parts.popFirst(), !subject.isEmpty else { return nil }
    let lane = parts.first.flatMap { Lane(rawValue: String($0)) }
    if lane != nil { parts.removeFirst() }
    let size = parts.first.flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
    if size != nil { parts.removeFirst() }
    let pace = parts.first.flatMap { $0.isEmpty ? nil : Pace(rawValue: String($0)) }
    if pace != nil { parts.removeFirst() }
    guard parts.isEmpty else { return nil }
    self.init(String(subject), lane: lane, size: size, pace: pace ?? .openLoop)
    // `+1` and `01` are numbers, but not as they are written here.
    guard description == text else { return nil }
  }
}

extension ResultClass {
  /// The same by its own route.
  public func by(_ lane: Lane) -> ResultClass {
    ResultClass(subject, lane: lane, size: size, pace: pace)
  }

  /// The same among this many.
  public func among(_ size: Int) -> ResultClass {
    ResultClass(subject, lane: lane, size: size, pace: pace)
  }

  /// The same at another pace.
  public func at(_ pace: Pace) -> ResultClass {
    ResultClass(subject, lane: lane, size: size, pace: pace)
  }

  /// The whole run, or of reads: the user's of queries.
  public static let total = ResultClass("total")
  /// All reads of the user.
  public static let all = ResultClass("all")
}

extension ResultClass: CustomStringConvertible {
  public var description: String {
    // Nearly all are of a subject alone, and a result has many.
    guard lane != nil || size != nil || pace != .openLoop else { return subject }
    let parts = [subject, lane?.rawValue, size.map(String.init)].compactMap { $0 }
    return (parts + (pace == .openLoop ? [] : [pace.rawValue])).joined(separator: "/")
  }
}

extension ResultClass: ExpressibleByStringLiteral {
  /// The class of that text.
  ///
  /// - Precondition: there is one.
  public init(stringLiteral text: String) {
    guard let parsed = ResultClass(text: text) else { preconditionFailure("no class: \(text)") }
    self = parsed
  }
}

/// An operation of the cache that apps wait for, alone: what two builds are compared by, in time, in
/// instructions and in allocations.
package enum HotOperation: String, Hashable, Sendable, CaseIterable {
  /// A change of one listed file, by the actor to ten observers.
  case event = "single"
  /// The same in the store, without the actor and without observers.
  case storeEvent = "single/store"
  /// A change of a thousand files, by the actor to ten observers of each listing.
  case batch = "batch-1000"
  /// The bytes of a change become an event.
  case decoding = "decode"
  /// All hundred rows of a listing, from the actor.
  case read = "listing"
  /// A user's change that the server confirms at once.
  case write = "confirmed"

  /// What a row of it is called.
  package var `class`: ResultClass {
    guard let name = ResultClass(text: rawValue) else {
      preconditionFailure("\(rawValue) is no class")
    }
    return name
  }

  /// How many are counted.
  package var counted: Int {
    switch self {
    case .event, .storeEvent: 2_000
    case .batch: 10
    case .decoding, .read: 200
    case .write: 1_000
    }
  }

  /// Instructions of one.
  package var instructions: Metric {
    switch self {
    case .event, .storeEvent, .batch, .decoding: .instructionsPerEvent
    case .read: .instructionsPerRead
    case .write: .instructionsPerWrite
    }
  }

  /// Allocations of one.
  package var allocations: Metric {
    switch self {
    case .event, .storeEvent, .batch, .decoding: .allocationsPerEvent
    case .read: .allocationsPerRead
    case .write: .allocationsPerWrite
    }
  }

  /// What the scenario column says of its time.
  package static let scenario = "operations"

  /// The name of the row of the work that no build changes, timed with the operations.
  package static let controlClass: ResultClass = "control"
}
