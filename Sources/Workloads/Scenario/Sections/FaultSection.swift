package import CacheModel

package struct FaultSection: Sendable {
  package var kind = Kind.partition
  package var at = Duration.zero
  package var length = Duration.zero
  /// The interval of repetitions; `nil`: it happens once.
  package var every: Duration?
  package var error: StorageFault?
  /// The affected client; `nil`: all.
  package var client: String?
  var place: SourcePlace?

  package init() {}

  package enum Kind: String, CaseIterable, Sendable {
    /// The link is down: events are lost and requests fail.
    case partition
    /// The link delivers nothing until the end, then all at once.
    case stall
    /// The server begins a new epoch; it has no duration.
    case serverRestart = "server-restart"
    /// The server answers every request with an error; events continue.
    case errors
    /// The app's process ends, and another begins; it has no duration.
    case appRestart = "app-restart"
    /// The client's storage rejects writes.
    case storage
    /// The server applies users' writes, but never answers.
    case unanswered
  }
}

extension FaultSection: ScenarioSection {
  static let fields: [Field<FaultSection>] = [
    Field.choice(
      "kind", \.kind, "what breaks"
    ).required(),
    Field.duration("at", \.at, .zero ... .days(30), "when it begins").required(),
    .duration("for", \.length, .milliseconds(1)...(.days(30)), "how long it lasts"),
    .duration(
      "every", \.every, .minutes(1)...(.days(30)), "the time from one `app-restart` to the next"),
    Field(
      name: "error", form: .choice(StorageFault.allCases.map(\.rawValue)),
      summary: "what the storage says while it refuses"
    ) {
      // An unreadable one was already reported: it is not missing.
      $0.error =
        $2.name($1, what: "error", among: StorageFault.allCases.map(\.rawValue))
        .flatMap { StorageFault(rawValue: $0) } ?? .failed
    },
    Field(name: "client", form: .named("client"), summary: "the client that is concerned") {
      $0.client = $2.scalar($1)
      $0.place = $1.place
    },
  ]

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    self.place = self.place ?? place
    switch kind {
    case .partition, .stall, .errors, .storage, .unanswered:
      if length == .zero { reader.report(place, "`for` is missing", "say how long it lasts") }
    case .serverRestart:
      if length != .zero || client != nil {
        reader.report(place, "a `server-restart` has neither `for` nor `client`", "remove them")
      }
    case .appRestart:
      if length != .zero {
        reader.report(
          place, "an `app-restart` has no `for`: the process begins again immediately",
          "remove it, or add a `partition` for as long as the app stays closed")
      }
    }
    if every != nil, kind != .appRestart {
      reader.report(
        place, "only an `app-restart` comes again", "remove `every`, or write each by itself")
    }
    if kind == .storage, error == nil {
      reader.report(place, "`error` is missing", "say why the storage refuses, such as `full`")
    } else if kind != .storage, error != nil {
      reader.report(place, "only a fault of the storage has an `error`", "remove it")
    }
  }

  /// Returns the times at which it happens, before an end.
  package func instants(before end: Duration) -> [Duration] {
    guard let every else { return at < end ? [at] : [] }
    return stride(
      from: at.wholeNanoseconds, to: end.wholeNanoseconds, by: Int(every.wholeNanoseconds)
    ).map { .nanoseconds($0) }
  }
}
