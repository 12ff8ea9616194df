import CacheModel
import Workloads

/// Estimates from the pauses between a user's steps: think time, typing and visits.
struct PauseFit {
  /// The think time in nanoseconds, as for the others.
  private(set) var think: Estimate
  /// Whether no part of a pause is constant.
  private(set) var isExponential = false
  private(set) var keystroke: Estimate
  /// The visits; `nil`: the user is always present.
  private(set) var visits: Visits?
  /// The maximum pause within a visit.
  private(set) var longest: Int64

  struct Visits {
    var rate: Estimate
    /// The length in nanoseconds.
    var length: Estimate
    /// Whether the link is down between visits.
    var isSuspended: Bool
  }

  /// The constant share of the mean of a paused think time (``ThinkTime/Distribution/paused``).
  private static let fixedShare = 0.1
  /// A pause longer than this multiple of the mean is not within a visit: its probability is one in 4,000.
  private static let pausesBeyond = 8.0
  /// The minimum number of visits for an estimate.
  static let leastVisits = 30
  /// The minimum share of absence for a model with visits.
  private static let leastAway = 0.2

  init(_ users: [UserSteps], _ links: [ClientScript], _ traits: QueryTraits, end: Int64) {
    var pauses = Pauses(users, traits)
    func constant(_ values: [Int64], _ noun: String, _ standIn: Duration) -> Estimate {
      Estimate(
        SortedList.quantile(0.5, of: values.sorted()).map(Double.init), from: values.count, noun,
        needed: 20, default: Double(standIn.wholeNanoseconds))
    }
    keystroke = constant(
      pauses.typing, "keystroke", ActivityStep.Typing.usualKeystroke)
    pauses.separateTyping(keystroke.isMeasured ? Int64(keystroke.value) : 0)
    let total = Double(end) * Double(users.count)
    let middle = Double(SortedList.quantile(0.5, of: pauses.thinking.sorted()) ?? 0)
    // The median of an exponential pause, with or without a constant part, is approximately 0.71 of its mean.
    var limit = max(1_000_000, Int64(Self.pausesBeyond * middle / 0.71))
    let away = pauses.thinking.filter { $0 > limit }
    let timeAway = away.reduce(0.0) { $0 + Double($1) }
    let areThereVisits = timeAway > Self.leastAway * total
    if areThereVisits {
      pauses.thinking.removeAll { $0 > limit }
    } else {
      limit = .max
    }
    let spans = users.flatMap { [limit] in Self.spans(of: $0, longest: limit) }
    longest = limit
    // A pause that the end of a visit interrupts is not complete, but the user thought for that long.
    let cut = areThereVisits ? spans.compactMap(\.cutPause) : []
    pauses.thinking = Self.removing(cut, from: pauses.thinking)
    let sorted = pauses.thinking.sorted()
    let shortest = Double(SortedList.quantile(0.01, of: sorted) ?? 0)
    // With a constant tenth, 1% of pauses are below 0.15 medians, otherwise below 0.015.
    isExponential = middle > 0 && shortest / middle < 0.06
    let fixed = isExponential ? 0 : Self.fixedShare
    var mean = middle / 0.71
    for _ in 0..<8 {
      let floor = fixed * mean
      let rest = (sorted + cut).reduce(0.0) { $0 + max(0, Double($1) - floor) }
      mean = rest / Double(max(1, sorted.count)) / (1 - fixed)
    }
    think = Estimate(
      mean, from: sorted.count, "pause", needed: 100,
      default: Double(ThinkTime().mean.wholeNanoseconds))
    guard areThereVisits else { return }
    let isSuspended = Self.areSuspended(users, links, longest: longest)
    visits =
      isSuspended
      ? Self.suspended(links, total: total)
      : connected(spans, away: away, timeAway: timeAway)
  }

  /// The pauses by the user's activity.
  private struct Pauses {
    var thinking: [Int64] = []
    var typing: [Int64] = []
    /// The pauses before the first answer to a typed query, with the number of letters typed before it.
    private var beginnings: [(pause: Int64, letters: Int64)] = []

    /// Subtracts the typing time from the pauses in which letters were typed without a query.
    mutating func separateTyping(_ keystroke: Int64) {
      thinking += beginnings.map { max(0, $0.pause - $0.letters * keystroke) }.filter { $0 > 0 }
      beginnings = []
    }

    /// Classifies the pauses by the user's activity; those that begin with typing are complete until they are
    /// separated.
    init(_ users: [UserSteps], _ traits: QueryTraits) {
      for user in users {
        for step in user.steps.indices.dropFirst() {
          let pause = user.pause(before: step)
          guard pause > 0 else { continue }
          switch (user.steps[step - 1].kind, user.steps[step].kind) {
          case (.read(let before), .read(let now)), (.read(let before), .observe(let now)):
            if traits.isTyped[Int(before)], traits.isTyped[Int(now)] {
              typing.append(pause)
            } else {
              begin(now, after: pause, traits)
            }
          case (_, .read(let now)), (_, .observe(let now)): begin(now, after: pause, traits)
          default: thinking.append(pause)
          }
        }
      }
    }

    private mutating func begin(_ query: UInt32, after pause: Int64, _ traits: QueryTraits) {
      if traits.letters[Int(query)] > 1 {
        beginnings.append((pause, traits.letters[Int(query)] - 1))
      } else {
        thinking.append(pause)
      }
    }
  }

  /// The time from the first to the last step of a visit, in nanoseconds.
  private struct Span {
    var length: Int64
    /// The pause before the last step, if that is only the end of the visit, when the app removes its views.
    var cutPause: Int64?
  }

  private static func spans(of user: UserSteps, longest: Int64) -> [Span] {
    guard !user.steps.isEmpty else { return [] }
    var spans: [Span] = []
    var first = 0
    for step in 1...user.steps.count
    where step == user.steps.count || user.pause(before: step) > longest {
      let last = step - 1
      var cut: Int64?
      if last > first, case .unobserve = user.steps[last].kind {
        // Several views may be removed at once.
        var step = last
        while step > first + 1, user.pause(before: step) == 0 { step -= 1 }
        let pause = user.pause(before: step)
        if pause > 0 { cut = pause }
      }
      spans.append(
        Span(
          length: user.steps[first].at.duration(to: user.steps[last].at).wholeNanoseconds,
          cutPause: cut))
      first = step
    }
    return spans
  }

  /// Returns a list without some of its values, each removed as often as it occurs.
  private static func removing(_ values: [Int64], from list: [Int64]) -> [Int64] {
    let sorted = values.sorted()
    var next = 0
    return list.sorted().filter { value in
      while next < sorted.count, sorted[next] < value { next += 1 }
      guard next < sorted.count, sorted[next] == value else { return true }
      next += 1
      return false
    }
  }

  // MARK: Visits

  /// Returns whether links are down during most of the long pauses.
  private static func areSuspended(
    _ users: [UserSteps], _ links: [ClientScript], longest: Int64
  ) -> Bool {
    var pauses = 0
    var down = 0
    for (user, link) in zip(users, links) {
      var next = 0
      for step in user.steps.indices.dropFirst() where user.pause(before: step) > longest {
        let pause = user.steps[step - 1].at..<user.steps[step].at
        while next < link.partitions.count, link.partitions[next].upperBound <= pause.lowerBound {
          next += 1
        }
        var covered: Int64 = 0
        for window in link.partitions[next...] {
          guard window.lowerBound < pause.upperBound else { break }
          let both = window.clamped(to: pause)
          covered += both.lowerBound.duration(to: both.upperBound).wholeNanoseconds
        }
        pauses += 1
        if 2 * covered > user.pause(before: step) { down += 1 }
      }
    }
    return 5 * down > 4 * pauses
  }

  /// Estimates visits from a link that is connected only during visits, which shows all of them, also those
  /// without a step.
  ///
  /// A visit that begins during another prolongs it. In a Poisson process the share of time without a visit
  /// is e to the power of −rate · length, and a pause ends at its rate.
  private static func suspended(_ links: [ClientScript], total: Double) -> Visits {
    let pauses = links.flatMap(\.partitions).map {
      Double($0.lowerBound.duration(to: $0.upperBound).wholeNanoseconds)
    }
    let away = min(pauses.reduce(0, +), 0.999_999 * total)
    let rate = Double(pauses.count) / away
    return visits(
      rate: rate * 1e9, length: -PortableMath.log(away / total) / rate, count: pauses.count,
      isSuspended: true)
  }

  /// Estimates visits with steps from long pauses, for a link that is always connected.
  ///
  /// The rest of a pause beyond a length is exponential like the whole. The mean remaining length of a visit
  /// after its first step equals its mean length. A visit shorter than the first pause is not observed, and
  /// two adjacent ones are observed as one.
  private func connected(_ spans: [Span], away: [Int64], timeAway: Double) -> Visits {
    let count = Double(away.count)
    let seen = count / max(1, timeAway - count * Double(longest))
    let hidden = 1 - PortableMath.exp(-seen * Double(longest))
    let apart = Double(spans.count) / (1 - hidden)
    let inVisits =
      spans.reduce(0.0) { $0 + Double($1.length) } - apart * hidden * Double(longest) / 2
    let span = max(1, inVisits / apart)
    let fixed = isExponential ? 0 : Self.fixedShare
    var rate = seen
    var length = span
    for _ in 0..<20 {
      length = PortableMath.log(1 + rate * span) / rate
      let shown =
        PortableMath.exp(-fixed * think.value / length)
        / (1 + (1 - fixed) * think.value / length)
      rate = seen / shown
    }
    return Self.visits(rate: rate * 1e9, length: length, count: away.count, isSuspended: false)
  }

  private static func visits(
    rate: Double, length: Double, count: Int, isSuspended: Bool
  ) -> Visits {
    let section = VisitSection()
    return Visits(
      rate: Estimate(
        rate, from: count, "absence", needed: leastVisits, default: section.rate),
      length: Estimate(
        length, from: count, "absence", needed: leastVisits,
        default: Double(section.length.wholeNanoseconds)),
      isSuspended: isSuspended)
  }
}
