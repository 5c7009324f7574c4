# The MCP server. UNTESTED: the project's own machines have no engine to build it with; a linter
# checks this file, and the steps are those of docs/install.md.
#
#   docker build --tag odoo-toolkit-mcp .
#   docker run --rm --interactive --env ODOO_URL --env ODOO_USERNAME --env ODOO_API_KEY odoo-toolkit-mcp

FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/odoo-toolkit \
    && /opt/odoo-toolkit/bin/pip install --no-cache-dir --no-compile '.[postgres]' \
    && /opt/odoo-toolkit/bin/pip uninstall --yes pip

FROM python:3.13-slim
COPY --from=build /opt/odoo-toolkit /opt/odoo-toolkit
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin odoo-toolkit
USER 10001:10001
WORKDIR /tmp
ENV PATH=/opt/odoo-toolkit/bin:$PATH \
    PYTHONUNBUFFERED=1
EXPOSE 8080
ENTRYPOINT ["odoo-toolkit-mcp"]
