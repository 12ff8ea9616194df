# docker build -t tidemark . && docker run --rm --user "$(id -u)" -v "$PWD:/work" tidemark simulate my-app.yaml
# Without --user nothing can be written to your folder. Versions of packages are those of the named release.
# Run: hadolint; what `make dist` builds and packs of `tidemark` itself, on Debian 12 with Swift 6.3; the second stage's
# steps and a gate in an empty Debian 12, as user 65534 without a home; all on x86-64. Not run: an engine, arm64.
# hadolint global ignore=DL3008
FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libcurl4-openssl-dev libjemalloc-dev libsqlite3-dev make \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /tidemark
COPY . .
# With Swift's libraries in it, so that the image needs no Swift.
RUN make dist && mkdir /opt/tidemark && tar -xzf .build/tidemark-linux-*.tar.gz -C /opt/tidemark --strip-components 1

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libcurl4 libsqlite3-0 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/tidemark /opt/tidemark
ENV PATH=/opt/tidemark:$PATH
WORKDIR /work
USER 65534:65534
ENTRYPOINT ["tidemark"]
CMD ["--help"]
