# The image has no database: set DATABASE_URL and FACTEUR_MASTER_KEY (see compose.yaml).

# The packages that build the pages of the workspace and the program stay in this stage.
FROM node:24-slim AS built
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY tsconfig.json ./
COPY bin ./bin
COPY migrations ./migrations
COPY src ./src
COPY web ./web
RUN node bin/build.mjs
RUN node bin/image.mjs /image

FROM node:24-slim
# The service runs without npm and Yarn.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn* /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg
WORKDIR /app
COPY --from=built /image ./
RUN ln -s /app/bin/facteur /usr/local/bin/facteur
ENV NODE_ENV=production FACTEUR_HOST=0.0.0.0 FACTEUR_HEALTH_PORT=3026
# By its number, which the kubelet can see is not root: the user "node".
USER 1000:1000
EXPOSE 3025
# Whether it lives. What replaces unhealthy containers leaves one that waits for its database, or for ten minutes for a migration.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10m CMD ["node", "/app/bin/health.mjs"]
ENTRYPOINT ["facteur"]
CMD ["start"]
