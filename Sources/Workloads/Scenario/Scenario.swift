import CacheModel

/// What is to be simulated and compared: the content of a scenario file.
package struct Scenario: Sendable {
  package var name = ""
  package var summary = ""
  /// Names the random numbers; the command line may set another.
  package var seed: UInt64 = 1
  /// The whole run, in virtual time.
  package var duration = Duration.minutes(30)
  /// The end of the run, in which nothing changes, no user acts and no link has faults, so that every
  /// cache can reach quiescence: heartbeats go on.
  package var drain = Duration.minutes(1)
  /// The share of the run at its beginning in which nothing is counted: the cache fills.
  package var warmUp = 0.2
  /// What the app keeps, asks for and changes.
  package var model: DataModel
  /// Who else changes the data.
  package var writers: [WritersSection] = []
  /// The caches under test, and their users.
  package var users: [UsersSection] = []
  package var network = NetworkSection()
  package var faults: [FaultSection] = []
  package var server = ServerSection()
  package var cache = CacheSection()
  package var policies: [PolicyEntry] = []
  package var targets: [TargetSection] = []
  package var goal = GoalSection()

  /// A scenario of a model, which says nothing else; a recording has what happens.
  package init(of model: DataModel) {
    self.model = model
  }

  /// A file in which nothing is written.
  init() { self.init(of: DataModel(types: [], shapes: [])) }

  /// The names of all forms of query that its clients may ask.
  package var queryNames: [String] {
    model.shapes.map(\.name)
  }

  /// When counting begins.
  package var warmUpDuration: Duration {
    .nanoseconds(Int64(Double(duration.wholeNanoseconds) * warmUp))
  }

  /// When the drain begins.
  package var activeDuration: Duration { duration - drain }

  /// Reads a scenario file, and finds everything that is wrong with it.
  ///
  /// - Parameters:
  ///   - yaml: The bytes of the file.
  ///   - file: Its name, for errors.
  ///   - vocabulary: The names that only other rooms know.
  ///   - models: What its data may build on.
  /// - Returns: The scenario, checked as a whole.
  /// - Throws: All problems, in order of place, each with its remedy.
  package static func parse(
    _ yaml: [UInt8], file: String, vocabulary: Vocabulary, models: SharedModels = .none
  ) throws(ScenarioError) -> Scenario {
    try ScenarioDocument(yaml, file: file, models: models).scenario(vocabulary: vocabulary)
  }
}

/// The same scenario otherwise, to see whether a verdict hangs on that.
extension Scenario {
  /// The run longer by a factor; what happens at given times happens at these.
  package func prolonged(by factor: Int) -> Scenario {
    var scenario = self
    scenario.duration = .nanoseconds(duration.wholeNanoseconds * Int64(factor))
    return scenario
  }

  /// Every user waits for what was asked.
  package var withWaitingUsers: Scenario {
    var scenario = self
    for index in users.indices { scenario.users[index].reaction = .waits }
    return scenario
  }
}
