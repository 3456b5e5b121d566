# A licence would stand here.

include config.mk

# How the library is built.
CC ?= cc
FLAGS := -O2 -Wall
SOURCES = $(wildcard src/*.c)
OBJECTS = $(SOURCES:.c=.o)

.PHONY: all clean test

# Everything.
all: library

library: $(OBJECTS)
	$(CC) $(FLAGS) -o $@ $^
	@echo "built $@"

%.o: %.c shelf.h
	$(CC) $(FLAGS) -c $< -o $@

ifeq ($(DEBUG), 1)
FLAGS += -g
else
FLAGS += -DNDEBUG
endif

define announce
	@echo "============"
	@echo "$(1)"
endef

# Runs the tests one after the other.
test: library
	$(call announce,tests)
	for test in tests/*; do \
		./library $$test || exit 1; \
	done

clean:
	rm -f library $(OBJECTS)

broken target without colon
