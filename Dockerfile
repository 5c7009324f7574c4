# The MCP server. The project's own machines have no engine of Docker: it was built and run with
# buildah, on Debian with Python 3.13 in place of python:3.13-slim.
#
#   docker build --tag odoo-toolkit-mcp .
#   docker run --rm --interactive --volume odoo-toolkit:/data \
#     --env ODOO_URL --env ODOO_USERNAME --env ODOO_API_KEY odoo-toolkit-mcp

FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/odoo-toolkit \
    && /opt/odoo-toolkit/bin/pip install --no-cache-dir --no-compile '.[postgres]' \
    && /opt/odoo-toolkit/bin/pip uninstall --yes pip

FROM python:3.13-slim
COPY --from=build /opt/odoo-toolkit /opt/odoo-toolkit
# /data is the only place that is written to: the journal, and the store of a team's server.
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin odoo-toolkit \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data
USER 10001:10001
WORKDIR /tmp
ENV PATH=/opt/odoo-toolkit/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    XDG_STATE_HOME=/data
EXPOSE 8080
ENTRYPOINT ["odoo-toolkit-mcp"]
