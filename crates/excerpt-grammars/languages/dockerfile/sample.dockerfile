# syntax=docker/dockerfile:1
# A licence would stand here.

ARG VERSION=1.0

# Builds the library.
FROM rust:1.91-slim AS builder
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY src ./src
# The cache is kept between builds.
RUN --mount=type=cache,target=/usr/local/cargo \
    cargo build --release && \
    strip target/release/library

FROM builder AS tester
RUN cargo test
ENV MODE=test \
    LEVEL=debug

FROM debian:stable-slim
LABEL org.example.title="library" \
      org.example.version="${VERSION}"
RUN apt-get update \
    && apt-get install -y ca-certificates \
    && rm -rf /var/lib/apt/lists/*
COPY --from=builder /src/target/release/library /usr/local/bin/
EXPOSE 8080/tcp
USER nobody
HEALTHCHECK --interval=30s CMD ["library", "status"]
BROKEN instruction
ENTRYPOINT ["library"]
CMD ["serve"]
