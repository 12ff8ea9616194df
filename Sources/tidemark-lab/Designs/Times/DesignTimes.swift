import ResponseCache

/// One round: every design at every size, and against one server.
struct DesignTimes {
  let plan: DesignPlan

  func samples(round: Int) async throws -> [DesignSample] {
    var samples: [DesignSample] = []
    for entries in plan.entries {
      samples += try await ControlTimes(plan: plan).samples(entries: entries)
      samples += try await TwoTierTimes(plan: plan).samples(entries: entries)
      for layout in ResponseOptions.MetadataLayout.allCases {
        samples += try await ResponseTimes(plan: plan, layout: layout).samples(entries: entries)
      }
      samples += try await RepositoryTimes(plan: plan).samples(entries: entries)
    }
    samples += try await TwoTierTimes(plan: plan).formSamples()
    let server = try await DesignServer(latency: plan.latency)
    samples += try await ControlTimes(plan: plan).samples(of: server)
    samples += try await TwoTierTimes(plan: plan).samples(of: server)
    samples += try await ResponseTimes(plan: plan, layout: .manifest).samples(of: server)
    try await server.close()
    return samples.map { sample in
      var sample = sample
      sample.round = round
      return sample
    }
  }
}
