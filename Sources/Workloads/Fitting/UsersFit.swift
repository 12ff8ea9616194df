import CacheModel

/// A group of users who do about the same.
struct UsersFit {
  private(set) var clients: [Int]
  private(set) var reaction: ClientScript.Reaction
  private(set) var watched: [QueryKind]
  private(set) var pauses: PauseFit
  private(set) var strolls: StrollFit
  /// In the order of ``ActivityMix/shares``.
  private(set) var mix: [Double]
  private(set) var activities: Int
  private(set) var opens: Estimate
  private(set) var scrolls: Estimate
  private(set) var letters: Estimate
  private(set) var askFrom: Int
  private(set) var tagged: Estimate
  /// Nanoseconds; `nil`: nothing is redrawn.
  private(set) var redraw: Int64?
  private(set) var exponent: Estimate
  private(set) var newest: Newest?
  /// The share of query reads of what the same client had asked before.
  private(set) var seenBefore: Estimate

  struct Newest {
    var share: Estimate
    /// Nanoseconds.
    var age: Int64
    var direct: Double
  }

  /// How many activities there are.
  private static let activityCount = 6

  /// The groups of a recording: clients who are alike in how they react, what they watch, and how fast
  /// they act.
  static func groups(_ workload: Workload, end: Int64) -> [UsersFit] {
    let traits = QueryTraits(workload)
    let users = workload.clients.map { UserSteps($0, traits) }
    let content = DirectoryContent(workload)
    return alike(users, workload).prefix(100).map {
      UsersFit($0, users, workload, traits, content, end: end)
    }
  }

  /// Clients who are alike, by their places.
  static func alike(_ users: [UserSteps], _ workload: Workload) -> [[Int]] {
    let kinds = workload.queries.map(\.kind)
    func typicalPause(_ user: UserSteps) -> Double {
      let pauses = user.steps.indices.dropFirst().map { user.pause(before: $0) }.filter { $0 > 0 }
      return Double(SortedList.quantile(0.5, of: pauses.sorted()) ?? 0)
    }
    var groups: [[Int]] = []
    for index in users.indices {
      let like = groups.firstIndex { group in
        let first = group[0]
        let (one, other) = (typicalPause(users[first]), typicalPause(users[index]))
        let (few, many) = (
          min(users[first].steps.count, users[index].steps.count),
          max(users[first].steps.count, users[index].steps.count)
        )
        return group.count < 1_000
          && workload.clients[first].reaction == workload.clients[index].reaction
          && users[first].watched.map { kinds[Int($0)] }
            == users[index].watched.map { kinds[Int($0)] }
          && users[first].redraws.isEmpty == users[index].redraws.isEmpty
          && max(one, other) <= 1.5 * min(one, other) && many <= 2 * few + 20
      }
      if let like { groups[like].append(index) } else { groups.append([index]) }
    }
    return groups
  }

  private init(
    _ clients: [Int], _ all: [UserSteps], _ workload: Workload, _ traits: QueryTraits,
    _ content: DirectoryContent, end: Int64
  ) {
    self.clients = clients
    let users = clients.map { all[$0] }
    reaction = workload.clients[clients[0]].reaction
    watched = users[0].watched.map { workload.queries[Int($0)].kind }
    let pauses = PauseFit(users, clients.map { workload.clients[$0] }, traits, end: end)
    self.pauses = pauses
    strolls = StrollFit(users, workload.queries, content, longest: pauses.longest)
    var views = ViewCounts(workload, content)
    for (user, client) in zip(users, clients) {
      views.follow(user, workload.clients[client], longest: pauses.longest)
    }
    activities = views.begun.count
    mix = ChoiceFit.shares(of: views.begun, among: Self.activityCount)
    let session = SessionSection()
    func mean(_ part: Int, _ whole: Int, _ noun: String, _ standIn: Double) -> Estimate {
      Estimate(
        whole > 0 ? Double(part) / Double(whole) : nil, from: whole, noun, needed: 30,
        default: standIn)
    }
    // Files are opened before a move, so none in the last view of a stroll.
    opens =
      strolls.moveCount >= 30 || views.searches == 0
      ? mean(
        views.directoryOpens, strolls.moveCount, "moves from directories with files", session.opens)
      : mean(views.searchOpens, views.searches, "searches", session.opens)
    scrolls = mean(views.mediaOpens, views.mediaViews, "media views", session.scrolls)
    askFrom = views.leastAsked ?? min(12, views.typed.min() ?? session.askFrom)
    letters = Estimate(
      Self.letters(views.typed, askFrom: askFrom, workload), from: views.typed.count, "searches",
      needed: 30, default: session.letters)
    let tags = users.reduce(0) { $0 + $1.tags }
    tagged = mean(tags, views.subjects, "views with a subject", session.tagged)
    redraw = SortedList.quantile(0.5, of: users.flatMap(\.redraws).sorted())
    exponent = views.exponent(workload)
    seenBefore = Estimate(
      Double(views.seenBefore) / Double(max(1, views.queryReads)), from: views.queryReads,
      "query reads", needed: 100, default: 0)
    if let oldest = views.agesOfNew.max() {
      let count = views.agesOfNew.count
      newest = Newest(
        share: Estimate(
          min(0.6, Double(count) / Double(max(1, views.reads))), from: count,
          "reads of what is new",
          needed: 30, default: 0),
        age: min(max(oldest, 1_000_000_000), 30 * 86_400_000_000_000),
        direct: max(0.5, Double(views.newWithoutView) / Double(count)))
    }
  }

  /// The mean number of letters that would be typed, were names longer and no answer asked for later.
  private static func letters(_ typed: [Int], askFrom: Int, _ workload: Workload) -> Double? {
    guard !typed.isEmpty else { return nil }
    let mean = typed.reduce(0.0) { $0 + Double($1) } / Double(typed.count)
    var lengths = [Double](repeating: 0, count: LetterCode.maximumLetters + 1)
    for revision in workload.catalog.revisions.prefix(workload.catalog.initialCount)
    where workload.catalog.objects[Int(revision.object)].type == EntityKind.file.resourceType {
      lengths[LetterCode.letterCount(revision.name)] += 1
    }
    let files = lengths.reduce(0, +)
    guard files > 0 else { return min(12, mean) }
    func expected(_ letters: Double) -> Double {
      // At least k letters are wanted with the chance (m / (1 + m)) to the power of k − 1.
      let share = (letters - 1) / letters
      var sum = 0.0
      for (length, files) in lengths.enumerated() where files > 0 {
        var most = 0.0
        var chance = 1.0
        for letter in 1...max(1, length) {
          most += letter <= askFrom ? 1 : chance
          chance *= share
        }
        sum += most * files
      }
      return sum / files
    }
    var (low, high) = (1.0, 12.0)
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if expected(middle) < mean { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
