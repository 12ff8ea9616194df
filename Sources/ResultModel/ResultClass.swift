/// The class of observations of a row.
///
/// As text, and in the `class` column: its parts in this order, separated by `/`, such as `single`,
/// `single/apps`, `entities/event/1000` and `single/store/hot`. The order and the forms of the parts
/// distinguish them: a size has only digits, unlike a lane.
public struct ResultClass: Hashable, Sendable {
  /// The counted or timed subject: a query class (`file`, `total`), a kind of event (`single`), a transport;
  /// never empty.
  public let subject: String
  /// The path, if there are several: the operation (`event`, `mutate`) or the interface (`apps`, `store`).
  public let lane: Lane?
  /// The number of others, if that varies.
  public let size: Int?
  public let pace: Pace

  /// A path to a subject.
  public enum Lane: String, Hashable, Sendable, CaseIterable {
    /// Events that notified an observer.
    case notified
    /// By what is made for apps.
    case apps
    /// A store without its actor.
    case store
    /// A screen that draws at fixed times.
    case frameBoundary = "frame-boundary"
    case event
    case read
  }

  /// When the next operation begins.
  public enum Pace: String, Hashable, Sendable, CaseIterable {
    /// At generated times, whether or not the previous one has ended; or one by one if nothing is timed.
    case openLoop = ""
    /// As soon as the previous one has ended (closed loop).
    case backToBack = "hot"
  }

  /// - Precondition: the subject is not empty and contains no `/`, and the size is not negative.
  public init(_ subject: String, lane: Lane? = nil, size: Int? = nil, pace: Pace = .openLoop) {
    precondition(
      !subject.isEmpty && !subject.utf8.contains(UInt8(ascii: "/")), "no subject: \(subject)")
    precondition(size.map { $0 >= 0 } ?? true, "a size below 0")
    self.subject = subject
    self.lane = lane
    self.size = size
    self.pace = pace
  }

  /// Parses a class.
  ///
  /// - Returns: `nil` for an invalid text.
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
    // `+1` and `01` are numbers, but not in canonical form.
    guard description == text else { return nil }
  }
}

extension ResultClass {
  /// Returns the class with another lane.
  public func by(_ lane: Lane) -> ResultClass {
    ResultClass(subject, lane: lane, size: size, pace: pace)
  }

  /// Returns the class with a size.
  public func among(_ size: Int) -> ResultClass {
    ResultClass(subject, lane: lane, size: size, pace: pace)
  }

  /// Returns the class with another pace.
  public func at(_ pace: Pace) -> ResultClass {
    ResultClass(subject, lane: lane, size: size, pace: pace)
  }

  /// The whole run; for reads, the user's reads of queries.
  public static let total = ResultClass("total")
  /// All reads of the user.
  public static let all = ResultClass("all")
}

extension ResultClass: CustomStringConvertible {
  public var description: String {
    // Most classes have only a subject, and a result has many.
    guard lane != nil || size != nil || pace != .openLoop else { return subject }
    let parts = [subject, lane?.rawValue, size.map(String.init)].compactMap { $0 }
    return (parts + (pace == .openLoop ? [] : [pace.rawValue])).joined(separator: "/")
  }
}

extension ResultClass: ExpressibleByStringLiteral {
  /// Parses a class.
  ///
  /// - Precondition: the text is a valid class.
  public init(stringLiteral text: String) {
    guard let parsed = ResultClass(text: text) else { preconditionFailure("no class: \(text)") }
    self = parsed
  }
}

/// An operation of the cache that apps wait for, measured alone: two builds are compared by its time,
/// instructions and allocations.
package enum HotOperation: String, Hashable, Sendable, CaseIterable {
  /// A change of one listed file, through the actor to ten observers.
  case event = "single"
  /// A change of one file in the store, without the actor and observers.
  case storeEvent = "single/store"
  /// A change of a thousand files, through the actor to ten observers of each listing.
  case batch = "batch-1000"
  /// Decoding the bytes of a change to an event.
  case decoding = "decode"
  /// Reading all hundred rows of a listing from the actor.
  case read = "listing"
  /// A user's change that the server confirms at once.
  case write = "confirmed"

  package var `class`: ResultClass {
    guard let name = ResultClass(text: rawValue) else {
      preconditionFailure("\(rawValue) is no class")
    }
    return name
  }

  /// The number of counted operations.
  package var counted: Int {
    switch self {
    case .event, .storeEvent: 2_000
    case .batch: 10
    case .decoding, .read: 200
    case .write: 1_000
    }
  }

  package var instructions: Metric {
    switch self {
    case .event, .storeEvent, .batch, .decoding: .instructionsPerEvent
    case .read: .instructionsPerRead
    case .write: .instructionsPerWrite
    }
  }

  package var allocations: Metric {
    switch self {
    case .event, .storeEvent, .batch, .decoding: .allocationsPerEvent
    case .read: .allocationsPerRead
    case .write: .allocationsPerWrite
    }
  }

  /// The scenario column of its times.
  package static let scenario = "operations"

  /// The class of the build-independent work that is timed with the operations.
  package static let controlClass: ResultClass = "control"
}
