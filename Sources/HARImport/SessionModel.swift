import RecordingCodec

/// The data model of an imported recording: its types, its queries and the fields in each of them.
///
/// Fields have no names here. The fields of a type that occur in the same queries are one part of it, and a
/// state has the number of changes for each part.
struct SessionModel {
  private(set) var recorded = RecordedModel()
  /// The index in the model for each of the log's types; `nil` for one that never occurs.
  private(set) var placeOfType: [Int?]
  /// The index of the query in the model for each of the timeline's forms.
  private(set) var placeOfForm: [Int]
  /// The part of each field, from 0, by the log's type; used for look-ups only.
  private(set) var parts: [[Int32: Int]]
  /// The number of incomplete sets of fields of types.
  private(set) var viewCount = 0

  /// The type that represents a query, and the content of its answers without an entity.
  let requestType: String

  /// The maximum number of types and queries in a simulation.
  static let most = 60
  private static let mostParts = 28
  static let member = "request"
  private static let summary = "summary"
  /// Classes of reads in every report.
  private static let reserved: Set = [
    "all", "total", "entity", "redraw", "redraws", "warm-up", "first", "worst",
  ]

  static func partName(_ part: Int) -> String { "part \(part + 1)" }

  init(
    _ log: TrafficLog, _ timeline: Timeline, _ shown: ShownRows, _ options: HARImportOptions
  ) {
    let usage = Usage(log, timeline, shown)
    placeOfType = [Int?](repeating: nil, count: log.types.all.count)
    parts = [[Int32: Int]](repeating: [:], count: log.types.all.count)
    var names = UsedNames()
    var typeNames: [String] = []
    for (place, type) in usage.types.enumerated() {
      // The last one represents all others.
      let isOther = place >= Self.most - 2 && usage.types.count > Self.most - 1
      guard place < Self.most - 1 else {
        placeOfType[type] = Self.most - 2
        continue
      }
      placeOfType[type] = place
      let own = log.types.all[type]
      let isKept = !options.isAnonymous && !isOther && TypeName.isCode(own)
      typeNames.append(names.unique(isOther ? "other" : isKept ? own : "type \(place + 1)"))
    }
    requestType = names.unique(Self.member)
    recorded.types = typeNames.map { RecordedType($0) } + [RecordedType(requestType)]
    placeOfForm = []
    nameForms(usage, timeline, options)
    describe(usage)
  }

  // MARK: Queries

  private mutating func nameForms(
    _ usage: Usage, _ timeline: Timeline, _ options: HARImportOptions
  ) {
    var names = UsedNames()
    placeOfForm = [Int](repeating: 0, count: timeline.formNames.count)
    for (place, form) in usage.forms.enumerated() {
      let isOther = place >= Self.most - 1 && usage.forms.count > Self.most
      placeOfForm[form] = min(place, Self.most - 1)
      guard place < Self.most else { continue }
      let own = timeline.formNames[form]
      var name = "query \(place + 1)"
      if isOther {
        name = "other"
      } else if !options.isAnonymous, let given = own.name {
        name = own.variant > 1 ? "\(given) (\(own.variant))" : given
        if Self.reserved.contains(name) { name += " query" }
        name = String(name.unicodeScalars.prefix(200))
      }
      var condition = RecordedCondition()
      (condition.field, condition.isWord) = (Self.member, "subject")
      recorded.queries.append(RecordedQuery(names.unique(name), [], [condition]))
    }
  }

  // MARK: Fields

  private mutating func describe(_ usage: Usage) {
    let requestPlace = recorded.types.count - 1
    // The fields of each type in each query of the model.
    var shownOfType = [[(query: Int, fields: Set<Int32>)]](
      repeating: [], count: recorded.types.count)
    var lists = [[Int]](repeating: [], count: recorded.queries.count)
    for form in usage.forms {
      let query = placeOfForm[form]
      for (type, fields) in usage.fields[form] {
        let place = type < 0 ? requestPlace : placeOfType[Int(type)] ?? requestPlace
        if !lists[query].contains(place) { lists[query].append(place) }
        if let known = shownOfType[place].firstIndex(where: { $0.query == query }) {
          shownOfType[place][known].fields.formUnion(fields)
        } else {
          shownOfType[place].append((query, fields))
        }
      }
    }
    // The view in each query, as sets of parts by type.
    var partsShown = [[Int: [Int]]](repeating: [:], count: recorded.queries.count)
    var partCounts = [Int](repeating: 1, count: recorded.types.count)
    for place in recorded.types.indices {
      let whole = usage.wholes(of: place, placeOfType, requestPlace)
      var sets: [Set<Int32>] = []
      for shown in shownOfType[place] where !sets.contains(shown.fields) && shown.fields != whole {
        sets.append(shown.fields)
      }
      if place == requestPlace { sets = [] }
      let (partOfField, count) = Self.parts(of: whole, by: sets)
      partCounts[place] = count
      for type in placeOfType.indices where placeOfType[type] == place && place != requestPlace {
        parts[type] = partOfField
      }
      for shown in shownOfType[place] {
        let everyPart = Array(0..<count)
        let ownParts = Set(shown.fields.compactMap { partOfField[$0] })
        partsShown[shown.query][place] =
          sets.contains(shown.fields) && place != requestPlace
          ? everyPart.filter(ownParts.contains) : everyPart
      }
    }
    for place in recorded.types.indices {
      recorded.types[place].fields =
        [RecordedField(Self.member, .reference, to: requestType)]
        + (0..<partCounts[place]).map { RecordedField(Self.partName($0), .integer) }
    }
    for query in recorded.queries.indices {
      if lists[query].isEmpty { lists[query] = [requestPlace] }
      recorded.queries[query].lists = lists[query].map { recorded.types[$0].name }
    }
    nameViews(lists, partsShown, partCounts, usage)
  }

  /// Returns the parts: fields that occur in the same sets.
  private static func parts(
    of whole: Set<Int32>, by sets: [Set<Int32>]
  ) -> (partOfField: [Int32: Int], count: Int) {
    var partOfField: [Int32: Int] = [:]
    var known: [[Bool]] = []
    for field in whole.sorted() {
      let traits = sets.map { $0.contains(field) }
      let part = known.firstIndex(of: traits) ?? known.count
      if part == known.count, part < mostParts { known.append(traits) }
      partOfField[field] = min(part, mostParts - 1)
    }
    return (partOfField, max(1, known.count))
  }

  private mutating func nameViews(
    _ lists: [[Int]], _ shown: [[Int: [Int]]], _ counts: [Int], _ usage: Usage
  ) {
    var views: [[Int: [Int]]] = []
    for query in recorded.queries.indices
    where lists[query].contains(where: { (shown[query][$0]?.count ?? counts[$0]) < counts[$0] }) {
      if !views.contains(shown[query]) { views.append(shown[query]) }
    }
    viewCount = views.count
    for query in recorded.queries.indices {
      guard let number = views.firstIndex(of: shown[query]) else { continue }
      let name = views.count == 1 ? Self.summary : "view \(number + 1)"
      recorded.queries[query].shows = name
      for place in lists[query]
      where !recorded.types[place].views.contains(where: { $0.name == name }) {
        var view = RecordedView()
        let parts = shown[query][place] ?? Array(0..<counts[place])
        view.name = name
        view.shows = parts.map { Self.partName($0) }
        view.bytes = max(1, usage.meanBytes(of: place, in: query, placeOfType, placeOfForm))
        recorded.types[place].views.append(view)
      }
    }
    for place in recorded.types.indices where recorded.types[place].views.count > 1 {
      putSimulatedFirst(place, shown, counts[place], usage)
    }
  }
}

extension SessionModel {
  /// Moves the view of a type to the front that best predicts which reads are hits: it is simulated, and any
  /// other is treated as the full entity.
  private mutating func putSimulatedFirst(
    _ place: Int, _ shown: [[Int: [Int]]], _ count: Int, _ usage: Usage
  ) {
    func parts(ofForm form: Int) -> Set<Int> {
      Set(shown[placeOfForm[form]][place] ?? Array(0..<count))
    }
    let followings = usage.followings.filter { placeOfType[Int($0.following.type)] == place }
    let views = recorded.types[place].views
    let names = (0..<count).map { Self.partName($0) }
    let costs = views.map { view in
      let simulated = Set((0..<count).filter { view.shows.contains(names[$0]) })
      return followings.reduce(0) { cost, one in
        let (first, next) = (
          parts(ofForm: one.following.first), parts(ofForm: one.following.next)
        )
        let isServed = !first.isSubset(of: simulated) || next.isSubset(of: simulated)
        return cost + (isServed == next.isSubset(of: first) ? 0 : one.count)
      }
    }
    // Of equal ones the smaller, so that a list provides no more than its content.
    let order = views.indices.sorted {
      let (left, right) = (views[$0].shows.count, views[$1].shows.count)
      return (left == count ? 1 : 0, costs[$0], left, $0) < (
        right == count ? 1 : 0, costs[$1], right, $1
      )
    }
    recorded.types[place].views.swapAt(0, order[0])
  }
}

/// The used names, for unique new ones.
private struct UsedNames {
  private var names: Set<String> = []

  mutating func unique(_ name: String) -> String {
    var (given, number) = (name, 2)
    while !names.insert(given).inserted {
      given = "\(name) \(number)"
      number += 1
    }
    return given
  }
}

/// The frequency of each type, form and field.
private struct Usage {
  /// The indices of the log's types, those with the most rows first.
  private(set) var types: [Int] = []
  /// The timeline's forms, those with the most reads first.
  private(set) var forms: [Int] = []
  /// The fields of each type in each form (−1: without an entity), in order of first appearance.
  private(set) var fields: [[(type: Int32, names: Set<Int32>)]]
  /// All fields by type, those without an entity last.
  private var all: [Set<Int32>]
  private var bytes: [UInt64: (sum: Int, count: Int)] = [:]
  /// The number of times an entity of a type occurred in one form, and then in another; in order of first
  /// appearance.
  private(set) var followings: [(following: Following, count: Int)] = []
  private var followingPlaces: [Following: Int] = [:]

  struct Following: Hashable {
    var type: Int32
    var first: Int
    var next: Int
  }

  private mutating func follow(_ following: Following) {
    if let place = followingPlaces[following] {
      followings[place].count += 1
    } else {
      followingPlaces[following] = followings.count
      followings.append((following, 1))
    }
  }

  init(_ log: TrafficLog, _ timeline: Timeline, _ shown: ShownRows) {
    fields = [[(type: Int32, names: Set<Int32>)]](
      repeating: [], count: timeline.formNames.count)
    all = [Set<Int32>](repeating: [], count: log.types.all.count + 1)
    var rows = [Int](repeating: 0, count: log.types.all.count)
    var reads = [Int](repeating: 0, count: timeline.formNames.count)
    var visited: Set<UInt64> = []
    var lastForm: [Int32: Int] = [:]
    for index in timeline.requests.indices {
      let query = timeline.queries[index]
      let form = query < 0 ? nil : timeline.forms[query]
      if let form { reads[form] += 1 }
      shown.forEach(of: index) { entity, sight in
        let type = entity < 0 ? -1 : log.entities[Int(entity)].type
        if type >= 0, let form {
          if let last = lastForm[entity] { follow(Following(type: type, first: last, next: form)) }
          lastForm[entity] = form
        }
        if type >= 0 { rows[Int(type)] += 1 }
        let key = UInt64(UInt32(bitPattern: Int32(form ?? -1))) << 32 | UInt64(sight)
        guard visited.insert(Print.of(key, UInt64(UInt32(bitPattern: type)))).inserted else {
          return
        }
        let own = log.fields[log.sights[Int(sight)].fields]
        let names = own.map(\.name)
        all[type < 0 ? all.count - 1 : Int(type)].formUnion(names)
        guard let form else { return }
        if let place = fields[form].firstIndex(where: { $0.type == type }) {
          fields[form][place].names.formUnion(names)
        } else {
          fields[form].append((type, Set(names)))
        }
        let total = Self.key(form, type)
        bytes[total, default: (0, 0)].sum += own.reduce(1) { $0 + Int($1.bytes) }
        bytes[total, default: (0, 0)].count += 1
      }
    }
    types = rows.indices.filter { rows[$0] > 0 }.sorted { (-rows[$0], $0) < (-rows[$1], $1) }
    forms = reads.indices.filter { reads[$0] > 0 }.sorted { (-reads[$0], $0) < (-reads[$1], $1) }
  }

  private static func key(_ form: Int, _ type: Int32) -> UInt64 {
    UInt64(form) << 32 | UInt64(UInt32(bitPattern: type))
  }

  /// Returns all fields of a type of the model.
  func wholes(of place: Int, _ placeOfType: [Int?], _ requestPlace: Int) -> Set<Int32> {
    if place == requestPlace { return all.last ?? [] }
    return placeOfType.indices.filter { placeOfType[$0] == place }.reduce(into: []) {
      $0.formUnion(all[$1])
    }
  }

  /// Returns the mean size of a type's content in a query of the model.
  func meanBytes(
    of place: Int, in query: Int, _ placeOfType: [Int?], _ placeOfForm: [Int]
  ) -> Int {
    var total = (sum: 0, count: 0)
    for form in forms where placeOfForm[form] == query {
      for (type, _) in fields[form] where type >= 0 && placeOfType[Int(type)] == place {
        let own = bytes[Self.key(form, type)] ?? (0, 0)
        total = (total.sum + own.sum, total.count + own.count)
      }
    }
    return total.count == 0 ? 1 : total.sum / total.count
  }
}
