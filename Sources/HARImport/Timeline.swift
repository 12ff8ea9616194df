/// The requests of an app in order of time, each with its client and query.
///
/// Related requests are joined: redirects, and persisted operations that were sent again with their text.
struct Timeline {
  private(set) var requests: [LoggedRequest] = []
  private(set) var clients: [Int] = []
  /// The query of each request; −1 if it has none.
  private(set) var queries: [Int] = []
  private(set) var isForced: [Bool] = []
  private(set) var clientFiles: [Int32] = []
  private(set) var restarts: [[Int64]] = []
  /// The number of each query's form.
  private(set) var forms: [Int] = []
  private(set) var formNames: [FormName] = []
  private(set) var ignoredParameters: [String] = []
  private(set) var hosts: [String] = []
  private(set) var excludedByHost = 0
  private(set) var begin: Int64 = 0

  struct FormName: Hashable {
    /// The name of a GraphQL operation, or a method and a path; `nil` if its name is not an identifier.
    var name: String?
    /// A number from 1 for forms with the same name and different fields in answers.
    var variant = 1
  }

  private let options: HARImportOptions

  init(
    _ all: consuming [LoggedRequest], _ log: TrafficLog, _ pages: [HARPage],
    _ options: HARImportOptions
  ) {
    self.options = options
    for index in all.indices where all[index].operation >= 0 && all[index].kind == .query {
      let isWrite = log.operations[Int(all[index].operation)].isWrite ?? false
      if isWrite { all[index].kind = .write }
    }
    all.sort { ($0.start, $0.file, $0.entry) < ($1.start, $1.file, $1.entry) }
    requests = Joining.join(all, log)
    keepHosts(log)
    begin = requests.lazy.map(\.start).min() ?? 0
    findClients(pages)
    findQueries(log)
    findForced(log)
  }

  // MARK: Hosts

  /// Keeps the requests to hosts whose answers contain entities.
  private mutating func keepHosts(_ log: TrafficLog) {
    var isKept = [Bool](repeating: !options.hosts.isEmpty, count: log.hosts.all.count)
    for request in requests where !request.rows.isEmpty { isKept[Int(request.host)] = true }
    excludedByHost = requests.count
    requests.removeAll { !isKept[Int($0.host)] }
    excludedByHost -= requests.count
    let used = Set(requests.lazy.map(\.host))
    hosts = log.hosts.all.indices.filter { used.contains(Int32($0)) }.map { log.hosts.all[$0] }
  }

  // MARK: Clients

  /// How long a page that is left may still make requests, in nanoseconds.
  private static let lateness: Int64 = 2_000_000_000

  /// Finds clients: sequential pages are one client with restarts; overlapping ones are several.
  private mutating func findClients(_ pages: [HARPage]) {
    struct Span {
      var page: Int
      var file: Int32
      var first: Int64
      var last: Int64
    }
    var spanOfPage: [Int: Int] = [:]
    var spans: [Span] = []
    for request in requests where request.page >= 0 {
      let page = Int(request.page)
      if let span = spanOfPage[page] {
        spans[span].last = max(spans[span].last, request.start)
      } else {
        spanOfPage[page] = spans.count
        spans.append(
          Span(
            page: page, file: request.file, first: min(request.start, pages[page].start ?? .max),
            last: request.start))
      }
    }
    spans.sort { ($0.file, $0.first, $0.page) < ($1.file, $1.first, $1.page) }
    var clientOfPage: [Int: Int] = [:]
    var ends: [Int64] = []
    for span in spans {
      let own = clientFiles.indices.filter { clientFiles[$0] == span.file }
      let free =
        switch options.pages {
        case .auto: own.first { ends[$0] < span.first + Self.lateness }
        case .restarts: own.first
        case .clients: Int?.none
        }
      if let free {
        ends[free] = max(ends[free], span.last)
        restarts[free].append(max(span.first, begin))
        clientOfPage[span.page] = free
      } else {
        clientOfPage[span.page] = clientFiles.count
        clientFiles.append(span.file)
        restarts.append([])
        ends.append(span.last)
      }
    }
    // A request without a page belongs to the first client of its file.
    for request in requests {
      if let client = clientOfPage[Int(request.page)], request.page >= 0 {
        clients.append(client)
      } else if let client = clientFiles.firstIndex(of: request.file) {
        clients.append(client)
      } else {
        clients.append(clientFiles.count)
        clientFiles.append(request.file)
        restarts.append([])
      }
    }
  }

  // MARK: Queries

  private mutating func findQueries(_ log: TrafficLog) {
    let busters = CacheBuster(requests, log)
    var numbers: [UInt64: Int] = [:]
    var formNumbers: [UInt64: Int] = [:]
    var variants: [String: Int] = [:]
    var templates: [Int32: [String]] = [:]
    for request in requests {
      guard request.kind == .query else {
        queries.append(-1)
        continue
      }
      var identity: UInt64
      var form: UInt64
      if request.operation >= 0 {
        form = Print.of(21, UInt64(request.operation))
        identity = Print.of(form, request.variables)
      } else {
        let template = templates[request.path] ?? Self.template(log.paths[Int(request.path)], log)
        templates[request.path] = template
        let isHead = request.isHead
        identity = Print.of(isHead ? 22 : 23, UInt64(request.host))
        form = Print.of(identity, Print.of(template.joined(separator: "/")))
        identity = Print.of(Print.of(identity, UInt64(request.path)), request.body)
        form = Print.of(form, UInt64(request.method))
        for parameter in log.parameters[request.parameters] {
          let name = log.parameterNames[parameter.name]
          if !options.keptParameters.contains(name),
            busters.ignores(host: request.host, name: parameter.name, called: name)
          {
            if !ignoredParameters.contains(name) { ignoredParameters.append(name) }
            continue
          }
          // Independent of the order.
          let print = Print.of(UInt64(parameter.name), parameter.value)
          identity = identity &+ print
          if Self.choosesFields(name) { form = form &+ print }
        }
      }
      let number = numbers[identity] ?? forms.count
      if number == forms.count {
        numbers[identity] = number
        let next = formNames.count
        forms.append(formNumbers[form] ?? next)
        if formNumbers[form] == nil {
          formNumbers[form] = next
          formNames.append(name(of: request, templates[request.path] ?? [], log, &variants))
        }
      }
      queries.append(number)
    }
  }

  private func name(
    of request: LoggedRequest, _ template: [String], _ log: TrafficLog,
    _ variants: inout [String: Int]
  ) -> FormName {
    var name: String?
    if request.operation >= 0 {
      name = log.operations[Int(request.operation)].name.flatMap { TypeName.isCode($0) ? $0 : nil }
    } else {
      let method = log.methods[request.method]
      let path = "/" + template.joined(separator: "/")
      name = TypeName.isCode(method) ? (method == "GET" ? path : "\(method) \(path)") : path
    }
    guard let name else { return FormName() }
    variants[name, default: 0] += 1
    return FormName(name: name, variant: variants[name, default: 1])
  }

  /// Returns a path with `:id` for each segment that is not a name; a value in an answer is never a name.
  private static func template(_ path: [String], _ log: TrafficLog) -> [String] {
    zip(path, TypeName.names(inPath: path)).prefix(12).map { segment, isName in
      isName && !log.words.contains(Print.of(segment)) ? segment : ":id"
    }
  }

  /// Returns whether a parameter selects the fields of an answer.
  private static func choosesFields(_ name: String) -> Bool {
    ["fields", "include", "expand", "select", "embed", "view"].contains(
      String(name.lowercased().prefix { $0 != "[" }))
  }

  // MARK: Forced reads

  /// Marks a client's automatic reads: at a fixed period, or after a write of what they show.
  private mutating func findForced(_ log: TrafficLog) {
    isForced = [Bool](repeating: false, count: requests.count)
    var readsOfQuery: [UInt64: [Int]] = [:]
    var order: [UInt64] = []
    // By client, in order of their ends.
    var writes = [[Int]](repeating: [], count: clientFiles.count)
    for (index, request) in requests.enumerated() {
      if request.kind == .write, request.outcome != .failed {
        writes[clients[index]].append(index)
      }
      guard request.kind == .query else { continue }
      let key = UInt64(clients[index]) << 40 | UInt64(queries[index])
      if readsOfQuery[key] == nil { order.append(key) }
      readsOfQuery[key, default: []].append(index)
    }
    for client in writes.indices {
      writes[client].sort { (requests[$0].end, $0) < (requests[$1].end, $1) }
    }
    var related = RelatedWrites(requests, queries, log, queryCount: forms.count)
    for key in order {
      let reads = readsOfQuery[key] ?? []
      let starts = reads.map { requests[$0].start }
      for place in Self.polls(starts) { isForced[reads[place]] = true }
      for index in reads.dropFirst() {
        let read = requests[index]
        let own = writes[clients[index]]
        var place = count(of: own, endedBy: read.start)
        while !isForced[index], place > 0 {
          place -= 1
          let write = requests[own[place]]
          guard read.start - write.end <= 2_000_000_000 else { break }
          isForced[index] = related.relates(write, to: read, ofQuery: queries[index])
        }
      }
    }
  }

  /// Returns the number of requests that end up to a time, of some in order of their ends; O(log requests).
  private func count(of indices: [Int], endedBy time: Int64) -> Int {
    var (low, high) = (0, indices.count)
    while low < high {
      let middle = (low + high) / 2
      if requests[indices[middle]].end <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the indices of requests at equal intervals: three times in a row, within a tenth.
  static func polls(_ starts: [Int64]) -> [Int] {
    var found: [Int] = []
    var first = 1
    while first < starts.count {
      var end = first
      let gap = starts[first] - starts[first - 1]
      while end < starts.count {
        let other = starts[end] - starts[end - 1]
        guard gap >= 100_000_000, (other - gap).magnitude <= max(gap / 10, 50_000_000) else {
          break
        }
        end += 1
      }
      if end - first >= 3 { found += Array(first..<end) }
      first = max(end, first + 1)
    }
    return found
  }
}
