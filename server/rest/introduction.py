"""The introduction of the API page: what the service is, how to reach it, authentication, and rules for all routes."""

INTRODUCTION = """
Precedent is a shared memory for AI agents and for the people who work with them. It stores **decisions** (which ones
are in force, why, and what they replaced), **things** and their relations, and what was **said and learned**. Neo4j
stores all of it; search uses meaning, words and the graph.

**Three ways in**

| interface | for | address |
|---|---|---|
| MCP | agents: every tool and resource | `/mcp` of this address: `{"type": "http", "url": "http://…/mcp"}` |
| REST | programs and scripts: the routes below | this page, and [`/openapi.json`](/openapi.json) |
| Neo4j Browser | people who explore the graph itself | shown by `precedent status` |

**Groups of routes**

| routes | content | start with |
|---|---|---|
| decisions | decisions and proposals, and what they replaced | `POST /decisions/query` |
| graph | things, their relations, the paths between them | `GET /graph/neighbors` |
| entries | memories of agents, and documents | `POST /entries/query` |
| curation | corrections: retract, undo, erase | `POST /retract` |
| history | what changed and why, what depends on it, where an agent was | `GET /changes` |
| memories, summaries, sessions | questions, thoughts and answers by session | `POST /memories/query` |
| database | export and import of memories and summaries | `GET /db/export` |
| health | health and metrics of the service | `GET /healthcheck` |

The journal, the cognitive layers and the evaluation of search are available over MCP only.

**Authentication.** On this machine no credential is needed until the first token exists: until then a program is an
admin, and an agent over MCP an agent. `precedent token create --name NAME` creates a token; after that every request
needs the header `Authorization: Bearer …` (use the button *Authorize*). A token has a role (viewer reads, agent
writes, admin accepts, deletes and exports) and one namespace, and sees nothing of other namespaces.

**For all routes.** Bodies are JSON in UTF-8, at most one MiB; imports may be larger and are streamed. Times are ISO
8601 in UTC. Every error is `{error, message, code}`; the message says what to do, and nothing was changed.
"""
