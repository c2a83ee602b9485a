FROM node:24-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY packages/protocol/package.json packages/protocol/
COPY packages/client/package.json packages/client/
COPY packages/server/package.json packages/server/
COPY packages/web/package.json packages/web/
COPY scripts/node/package.json scripts/node/
RUN npm ci
COPY tsconfig.base.json tsconfig.json ./
COPY scripts scripts
COPY packages packages
RUN npm run build

FROM node:24-slim
# Agents use git. tini reaps orphaned processes of their tools, which Node as process 1 would not do.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/*
# Agents to install: --build-arg AGENTS="@google/gemini-cli @agentclientprotocol/codex-acp"
ARG AGENTS=""
RUN if [ -n "$AGENTS" ]; then npm install --global $AGENTS && npm cache clean --force; fi
WORKDIR /opt/holdfast
COPY --from=build /src/packages/server/package.json ./
COPY --from=build /src/packages/server/bin bin
COPY --from=build /src/packages/server/dist/program dist/program
COPY --from=build /src/packages/server/dist/web dist/web
COPY --from=build /src/packages/server/man man
COPY --from=build /src/packages/server/python python
COPY LICENSE docs/reference/sbom.cdx.json ./
RUN ln -s /opt/holdfast/bin/holdfast.js /usr/local/bin/holdfast \
  && mkdir -p /data /workspace \
  && chown node:node /data /workspace \
  && chmod 0700 /data
USER node
ENV HOLDFAST_HOST=0.0.0.0 \
  HOLDFAST_PORT=4664 \
  HOLDFAST_DATA=/data \
  AGENT_WORKSPACE_ROOT=/workspace \
  HOLDFAST_GIT_OWNERS=any
VOLUME ["/data", "/workspace"]
EXPOSE 4664
# Checks that the process is alive. Proxies check /readyz, which also covers the database.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "/opt/holdfast/bin/healthcheck.js"]
ENTRYPOINT ["tini", "--", "node", "/opt/holdfast/bin/holdfast.js"]
CMD ["serve"]
