import CacheModel
import Workloads

/// The activities of users in a recorded app, inferred from their steps: by the sequence of views.
struct ActivityFit {
  private(set) var activities: [Activity] = []
  private(set) var begun = 0
  /// The arguments that users chose, by shape.
  private(set) var subjects: [[UInt32]]
  private(set) var typed: [Int] = []
  private(set) var leastAsked: Int?
  private(set) var queryReads = 0
  private(set) var seenBefore = 0

  struct Activity {
    var views: [View]
    var begun: Int
  }

  struct View: Equatable {
    enum Way: Equatable { case visit, follow(String?), type, back }
    var way: Way
    var shape: Int
    var pages = 0
    var opens = 0

    func isAlike(_ other: View) -> Bool { way == other.way && shape == other.shape }
  }

  /// The maximum number of activities of a scenario, and of steps of an activity.
  private static let mostActivities = 40
  private static let mostViews = 12

  private let workload: Workload
  /// The views of the present activity.
  private var views: [View] = []
  /// The present view and those that led to it, to which the user can go back.
  private var path: [UInt32] = []

  init(_ users: [UserSteps], _ workload: Workload, longest: Int64) {
    self.workload = workload
    subjects = workload.model.shapes.map { _ in [] }
    for user in users { follow(user, longest: longest) }
    activities.sort { $0.begun > $1.begun }
    activities = Array(activities.prefix(Self.mostActivities))
  }

  private func shape(_ query: UInt32) -> Int { Int(workload.queries[Int(query)].kind.rawValue) - 1 }

  private mutating func follow(_ user: UserSteps, longest: Int64) {
    var asked = [Bool](repeating: false, count: workload.queries.count)
    var leftAt: Instant?
    var isTyping = false
    func note(_ query: UInt32, _ fit: inout ActivityFit) {
      fit.queryReads += 1
      if asked[Int(query)] { fit.seenBefore += 1 }
      asked[Int(query)] = true
    }
    for query in user.watched { note(query, &self) }
    for (index, step) in user.steps.enumerated() {
      if index > 0, user.pause(before: index) > longest { end() }
      switch step.kind {
      case .read(let query):
        if !isTyping { end() }
        isTyping = true
        let letters = Int(workload.queries[Int(query)].prefixLength)
        leastAsked = min(leastAsked ?? letters, letters)
        note(query, &self)
      case .observe(let query):
        note(query, &self)
        let spec = workload.queries[Int(query)]
        if spec.after != Revision.noObject {
          if !views.isEmpty { views[views.count - 1].pages += 1 }
        } else {
          if leftAt != step.at { end() }
          show(query, isTyping: isTyping)
        }
        isTyping = false
      case .unobserve: leftAt = step.at
      case .open: if !views.isEmpty { views[views.count - 1].opens += 1 }
      case .redraw, .tag, .write, .maintenance: break
      }
    }
    end()
  }

  private mutating func show(_ query: UInt32, isTyping: Bool) {
    let place = shape(query)
    let declared = workload.model.shapes[place]
    let spec = workload.queries[Int(query)]
    if declared.typedField != nil {
      typed.append(Int(spec.prefixLength))
      end()
      return add(View(way: .type, shape: place), path: [query])
    }
    if declared.hasSubject, !declared.isAboutMe {
      subjects[place].append(UInt32(truncatingIfNeeded: spec.subject))
    }
    if path.count > 1, path[path.count - 2] == query {
      return add(View(way: .back, shape: place), path: path.dropLast())
    }
    if let before = views.last,
      let way = way(to: declared, from: workload.model.shapes[before.shape])
    {
      return add(View(way: way, shape: place), path: path + [query])
    }
    add(View(way: .visit, shape: place), path: [query])
  }

  /// Returns how a row of one view leads to another view; `nil`: not at all.
  private func way(to shape: QueryShape, from before: QueryShape) -> View.Way? {
    guard let subject = shape.subjectType, !shape.isAboutMe else { return nil }
    if before.types == [subject] { return .follow(nil) }
    guard let type = before.types.first, before.types.count == 1 else { return nil }
    let field = workload.model.types[type].fields.first {
      if case .one(subject, _, _) = $0.content { true } else { false }
    }
    return field.map { .follow($0.name) }
  }

  private mutating func add(_ view: View, path now: [UInt32]) {
    guard views.count < Self.mostViews else { return }
    views.append(view)
    path = now
  }

  private mutating func end() {
    defer {
      views = []
      path = []
    }
    guard !views.isEmpty else { return }
    begun += 1
    let own = activities.firstIndex { activity in
      activity.views.count == views.count
        && zip(activity.views, views).allSatisfy { $0.isAlike($1) }
    }
    guard let own else {
      activities.append(Activity(views: views, begun: 1))
      return
    }
    activities[own].begun += 1
    for index in views.indices {
      activities[own].views[index].pages += views[index].pages
      activities[own].views[index].opens += views[index].opens
    }
  }
}
