# toyc with everything that it needs, built by the README's first command:
#
#   docker build -t toyc .
#   docker run --rm -v "$PWD:/src" toyc examples/hello.toy -emit=jit
#
# `docker run --rm -it --entrypoint bash toyc` has the repository in /toyc.
FROM rust:1.95.0-bookworm
WORKDIR /toyc
COPY . .
RUN ./setup && cargo build --release -p toyc && target/release/toyc run examples/transpose.toy
# Completions for bash, and pages for man.
RUN target/release/toyc manuals target/manuals \
    && install -D -m 644 -t /usr/share/bash-completion/completions target/manuals/completions/bash/toyc \
    && install -D -m 644 -t /usr/local/share/man/man1 target/manuals/man1/*.1
ENV PATH="/toyc/target/release:$PATH"
WORKDIR /src
ENTRYPOINT ["toyc"]
