import CacheModel

/// What users looked at, counted view by view.
struct ViewCounts {
  /// Which activity was begun, and which could have been.
  private(set) var begun: [ChoiceFit.Choice] = []
  private(set) var directoryOpens = 0
  private(set) var mediaViews = 0
  private(set) var mediaOpens = 0
  private(set) var searches = 0
  private(set) var searchOpens = 0
  /// The letters of each search.
  private(set) var typed: [Int] = []
  /// The fewest letters that were asked for while more were typed.
  private(set) var leastAsked: Int?
  private(set) var queryReads = 0
  private(set) var seenBefore = 0
  private(set) var reads = 0
  /// How many views with a subject each user had seen.
  private(set) var subjects = 0
  /// Of entities that came during the recording, how old they were when they were opened.
  private(set) var agesOfNew: [Int64] = []
  private(set) var newWithoutView = 0

  private var albums: [ChoiceFit.Pick] = []
  private var tags: [ChoiceFit.Pick] = []
  private var names: [UInt32] = []

  private let workload: Workload
  private let content: DirectoryContent
  /// By object: its number among the albums that were there at the beginning, or the tags.
  private var number: [Int?]
  private var albumCount = 0
  private var tagCount = 0

  /// Searches with fewer letters say too little of what is looked for.
  private static let lettersOfName = 4

  init(_ workload: Workload, _ content: DirectoryContent) {
    self.workload = workload
    self.content = content
    number = [Int?](repeating: nil, count: workload.catalog.objects.count)
    for revision in workload.catalog.revisions.prefix(workload.catalog.initialCount) {
      let object = Int(revision.object)
      switch workload.catalog.objects[object].type {
      case EntityKind.album.resourceType:
        number[object] = albumCount
        albumCount += 1
      case EntityKind.tag.resourceType:
        number[object] = tagCount
        tagCount += 1
      default: break
      }
    }
  }

  mutating func follow(_ user: UserSteps, _ client: ClientScript, longest: Int64) {
    var asked = [Bool](repeating: false, count: workload.queries.count)
    var opened: UInt32?
    var left: UInt32?
    var leftAt: Instant?
    var onScreen = 0
    func noteRead(_ query: UInt32, _ counts: inout ViewCounts) {
      counts.queryReads += 1
      if asked[Int(query)] { counts.seenBefore += 1 }
      if !asked[Int(query)], counts.workload.queries[Int(query)].kind.hasSubject {
        counts.subjects += 1
      }
      asked[Int(query)] = true
    }
    for query in user.watched { noteRead(query, &self) }
    reads += user.watched.count
    for (index, step) in user.steps.enumerated() {
      if index > 0, user.pause(before: index) > longest {
        (opened, left, leftAt, onScreen) = (nil, nil, nil, 0)
      }
      switch step.kind {
      case .read(let query):
        noteRead(query, &self)
        reads += 1
        let spec = workload.queries[Int(query)]
        if spec.kind == .search { leastAsked = min(leastAsked ?? 12, Int(spec.prefixLength)) }
        opened = query
      case .observe(let query):
        noteRead(query, &self)
        reads += 1
        onScreen += 1
        // What is shown above another view is what a notification led to.
        if onScreen == 1 {
          note(
            view: query, opened, left, user.watched, isMove: leftAt == step.at)
        }
        opened = query
      case .unobserve(let query):
        onScreen = max(0, onScreen - 1)
        left = query
        leftAt = step.at
      case .open(let object, let view):
        reads += 1
        if let birth = content.birth[Int(object)] {
          agesOfNew.append(birth.duration(to: step.at).wholeNanoseconds)
          if view == nil { newWithoutView += 1 }
        } else if let view {
          switch workload.queries[Int(view)].kind {
          case .directory: directoryOpens += 1
          case .media: mediaOpens += 1
          case .search: searchOpens += 1
          default: break
          }
        }
      case .redraw, .tag, .write, .upkeep: break
      }
    }
  }

  /// A view that an activity began with, or a move of a stroll.
  private mutating func note(
    view query: UInt32, _ opened: UInt32?, _ left: UInt32?, _ watched: [UInt32], isMove: Bool
  ) {
    let spec = workload.queries[Int(query)]
    let recent = [opened, left].compactMap(\.self)
    let activity: Int
    switch spec.kind {
    case .directory:
      let wasDirectory = left.map { workload.queries[Int($0)].kind == .directory } ?? false
      if isMove, wasDirectory { return }
      activity = 0
    case .search:
      activity = 1
      searches += 1
      typed.append(Int(spec.prefixLength))
      if Int(spec.prefixLength) >= Self.lettersOfName {
        let code = LetterCode.prefix(spec.subject, letters: Self.lettersOfName)
        // The letters stand in the upper bits of sixty.
        names.append(UInt32(truncatingIfNeeded: code >> 40))
      }
    case .album:
      activity = 2
      pick(spec, recent, of: .album, into: \.albums)
    case .tag:
      activity = 3
      pick(spec, recent, of: .tag, into: \.tags)
    case .recents: activity = 4
    case .media:
      activity = 5
      mediaViews += 1
    default: return
    }
    func isThere(_ kind: QueryKind) -> Bool {
      (recent + watched).contains { workload.queries[Int($0)].kind == kind }
    }
    begun.append(
      ChoiceFit.Choice(
        possible: [
          true, true, true, true, !isThere(.recents) || activity == 4,
          !isThere(.media) || activity == 5,
        ], taken: activity))
  }

  private mutating func pick(
    _ spec: QuerySpec, _ recent: [UInt32], of kind: QueryKind,
    into list: WritableKeyPath<ViewCounts, [ChoiceFit.Pick]>
  ) {
    guard let taken = number[Int(spec.subject)] else { return }
    var excluded: [Int] = []
    for query in recent {
      let other = workload.queries[Int(query)]
      if other.kind == kind, let place = number[Int(other.subject)], place != taken,
        !excluded.contains(place)
      {
        excluded.append(place)
      }
    }
    self[keyPath: list].append(ChoiceFit.Pick(taken: taken, excluded: excluded))
  }

  /// Of the popularity by which albums, tags and names are chosen: of that which was chosen most often.
  func exponent(_ workload: Workload) -> Estimate {
    let files = workload.catalog.revisions.prefix(workload.catalog.initialCount).count {
      workload.catalog.objects[Int($0.object)].type == EntityKind.file.resourceType
    }
    let standIn = PopularitySection().exponent
    func estimate(_ picks: [ChoiceFit.Pick], _ count: Int, _ noun: String) -> Estimate {
      let squares = count >= 10 ? ChoiceFit.sumOfSquares(of: picks, among: count) : nil
      return Estimate(
        squares.map { ZipfEstimate.exponent(ofEqualPairs: $0, among: count) }, from: picks.count,
        noun, needed: 300, default: standIn)
    }
    let all = [
      estimate(albums, albumCount, "albums opened"), estimate(tags, tagCount, "tags opened"),
      Estimate(
        names.count > 1 && files >= 10
          ? ZipfEstimate.exponent(ofRepeats: names, among: files) : nil,
        from: names.count, "searches of four letters or more", needed: 300, default: standIn),
    ]
    return all.filter(\.isMeasured).max { $0.count < $1.count }
      ?? all.max { $0.count < $1.count } ?? all[0]
  }
}
