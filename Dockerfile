# toyc with everything that it needs, built by the README's first command:
#
#   docker build -t toyc .
#   docker run --rm -v "$PWD:/src" toyc examples/hello.toy -emit=jit
#
# `docker run --rm -it --entrypoint bash toyc` has the repository in /toyc.
FROM rust:1.95.0-bookworm
WORKDIR /toyc
COPY . .
RUN ./setup && cargo run --release -- examples/transpose.toy -emit=jit
ENV PATH="/toyc/target/release:$PATH"
WORKDIR /src
ENTRYPOINT ["toyc"]
