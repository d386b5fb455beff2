# The service without a database of its own: give it DATABASE_URL and FACTEUR_MASTER_KEY (see compose.yaml).

# The pages of the workspace, built once: their builder stays behind.
FROM node:24-slim AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY tsconfig.json ./
COPY bin ./bin
COPY src ./src
COPY web ./web
RUN node bin/build.mjs

FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Left out as optional: PostgreSQL and Node, which this image has or gets from elsewhere.
RUN npm ci --omit=dev --omit=optional && npm cache clean --force
COPY migrations ./migrations
COPY src ./src
COPY --from=pages /app/web/dist ./web/dist
ENV NODE_ENV=production FACTEUR_HOST=0.0.0.0
USER node
EXPOSE 3025
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.FACTEUR_PORT || 3025}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Straight to node, so that it is the one that hears SIGTERM; with the flags of bin/flags.mjs.
ENTRYPOINT ["node", "--max-semi-space-size=32", "--heap-growing-percent=300", "src/main.ts"]
CMD ["start"]
