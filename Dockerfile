# Avenue in a container. Everything it keeps is in the volume /data, all of it in one SQLite file.
#
#   docker build -t avenue .
#   docker run -p 8000:8000 -v avenue-data:/data avenue                   serve a room
#   docker run -v avenue-data:/data avenue avenue migrate                 bring the database to this version, then end
#
# Settings are environment variables that begin with AVENUE_; AVENUE_DATABASE_URL points at another database.

FROM python:3.11-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src

# The locked packages come first: they change least, so their layer is kept.
COPY requirements.txt requirements-build.txt ./
RUN python -m venv /opt/avenue \
    && /opt/avenue/bin/pip install --require-hashes -r requirements.txt \
    && python -m venv /opt/build \
    && /opt/build/bin/pip install --require-hashes -r requirements-build.txt

COPY pyproject.toml README.md ./
COPY app ./app
COPY engine ./engine
COPY migrations ./migrations
COPY clients ./clients
RUN /opt/build/bin/python -m hatchling build --target wheel --directory /dist \
    && /opt/avenue/bin/pip install --no-deps --no-index /dist/*.whl

FROM python:3.11-slim
RUN useradd --system --uid 10001 --home-dir /data --no-create-home avenue \
    && install --directory --owner avenue --group avenue --mode 0700 /data
COPY --from=build /opt/avenue /opt/avenue
ENV PATH=/opt/avenue/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    AVENUE_HOST=0.0.0.0 \
    AVENUE_PORT=8000 \
    AVENUE_DATABASE_URL=sqlite:////data/avenue.db
USER avenue
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f\"http://127.0.0.1:{os.environ['AVENUE_PORT']}/healthz\", timeout=2)"]
CMD ["avenue", "serve"]
