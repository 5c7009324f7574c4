"""What a hostile client may try, on real servers: nothing of it may succeed."""
