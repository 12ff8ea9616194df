package import Analysis
package import Text

/// `manifest.json`: data that deterministic files must not contain (time, place, program), and what makes two
/// runs comparable.
package struct Manifest: Hashable, Sendable {
  package struct Fact: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package var schemaVersion: Int
  package var programVersion: String
  package var command: [String]
  package var seeds: [UInt64]
  package var contenders: [ContenderIdentity]
  package var scenarios: [ScenarioIdentity]
  /// The time of day at the start, formatted by the executable.
  package var startedAt: String
  package var elapsedSeconds: Double
  package var host: [Fact]
  package var toolchain: [Fact]

  package init(
    schemaVersion: Int, programVersion: String, command: [String], seeds: [UInt64],
    contenders: [ContenderIdentity],
    scenarios: [ScenarioIdentity], startedAt: String, elapsedSeconds: Double, host: [Fact],
    toolchain: [Fact]
  ) {
    self.schemaVersion = schemaVersion
    self.programVersion = programVersion
    self.command = command
    self.seeds = seeds
    self.contenders = contenders
    self.scenarios = scenarios
    self.startedAt = startedAt
    self.elapsedSeconds = elapsedSeconds
    self.host = host
    self.toolchain = toolchain
  }

  package func document() throws(NotFinite) -> [UInt8] {
    try JSONWriter.document(
      .object([
        JSONMember("schema_version", .integer(schemaVersion)),
        JSONMember("program_version", .string(programVersion)),
        JSONMember("command", .array(command.map(JSONValue.string))),
        JSONMember("seeds", .array(seeds.map(JSONValue.unsigned))),
        JSONMember(
          "scenarios",
          .array(
            scenarios.map { scenario in
              .object([
                JSONMember("scenario", .string(scenario.scenario)),
                JSONMember(
                  "policies",
                  .array(
                    contenders.filter { $0.scenario == scenario.scenario }
                      .map { .string($0.policy) })),
                JSONMember("recorded", .bool(scenario.isRecorded)),
                JSONMember("workload", Self.object(scenario.workload)),
                JSONMember("contenders", Self.object(scenario.contenders)),
              ])
            })),
        JSONMember("started_at", .string(startedAt)),
        JSONMember("elapsed_seconds", .real(elapsedSeconds)),
        JSONMember("host", Self.object(host)),
        JSONMember("toolchain", Self.object(toolchain)),
      ]))
  }

  private static func object(_ fields: [ScenarioIdentity.Field]) -> JSONValue {
    .object(fields.map { JSONMember($0.path, .string($0.value)) })
  }

  private static func object(_ facts: [Fact]) -> JSONValue {
    .object(facts.map { JSONMember($0.name, .string($0.value)) })
  }
}
