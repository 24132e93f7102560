# Only Precedent: Neo4j and Qdrant run in other containers, so the extra `local`, which brings Java, is not installed.
FROM python:3.11-slim

RUN useradd --create-home --uid 10001 precedent && install -d -o precedent /data
WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY cypher ./cypher
COPY server ./server
COPY ingest ./ingest
COPY cli ./cli
RUN pip install --no-cache-dir -c constraints.txt '.[fast]'

USER precedent
ENV PRECEDENT_HOME=/data/home PRECEDENT_CACHE=/data/cache
VOLUME /data
EXPOSE 8001
CMD ["sh", "-c", "precedent setup && exec precedent serve"]
